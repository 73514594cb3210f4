import { Writable } from "node:stream";

import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";

import { createUsage } from "../../api/usage.ts";
import type { ReadCount } from "../../domain/ports.ts";
import { noteReads } from "../../domain/scheduling.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { codePassage } from "./samples.ts";
import { setup as setupApp } from "./setup.ts";

const today = "2026-11-21";

const never: (reads: readonly ReadCount[]) => boolean = () => false;

/** A counter with a fake clock and store; by default it writes only on flush. */
function setup(every = 3_600_000) {
  const clock = { now: Date.parse(`${today}T23:59:00Z`) };
  const store = { written: [] as (readonly ReadCount[])[], refuses: never };
  const logged: string[] = [];
  const usage = createUsage({
    async record(reads) {
      if (store.refuses(reads)) throw new Error("The catalog is out of reach.");
      store.written.push(reads);
    },
    every,
    now: () => clock.now,
    log: pino(new Writable({ write: (line, _, done) => done(void logged.push(String(line))) })),
  });
  onTestFinished(() => usage.close());
  return { usage, clock, store, logged, total: () => store.written.flat().reduce((sum, { reads }) => sum + reads, 0) };
}

describe("counting reads", () => {
  it("writes them once per library and day", async () => {
    const { usage, clock, store } = setup();
    for (const uid of ["a", "b", "a"]) usage.count(uid, "");
    clock.now += 120_000;
    usage.count("a", "");
    await usage.flush();
    expect(store.written).toEqual([
      [
        { libraryUid: "a", day: today, reads: 2 },
        { libraryUid: "b", day: today, reads: 1 },
        { libraryUid: "a", day: "2026-11-22", reads: 1 },
      ],
    ]);
    await usage.flush();
    expect(store.written).toHaveLength(1);
  });

  it("writes at intervals, and a last time on close", async () => {
    const { usage, store, total } = setup(20);
    usage.count("a", "");
    await expect.poll(() => store.written.length).toBe(1);
    usage.count("a", "");
    await expect.poll(() => store.written.length).toBe(2);
    usage.count("a", "");
    await usage.close();
    expect(total()).toBe(3);
    usage.count("a", "");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(total()).toBe(3);
  });

  it("keeps unwritten counts for the next time, and logs the failure", async () => {
    const { usage, store, logged, total } = setup();
    store.refuses = () => true;
    usage.count("a", "");
    await usage.flush();
    usage.count("a", "");
    await usage.flush();
    expect(logged.join("")).toContain("out of reach");
    store.refuses = () => false;
    await usage.flush();
    expect(store.written).toEqual([[{ libraryUid: "a", day: today, reads: 2 }]]);
    expect(total()).toBe(2);
  });

  it("neither loses nor doubles reads during a write or a partial failure", async () => {
    const { usage, store, total } = setup();
    for (let number = 0; number < 1200; number += 1) usage.count(`library-${number}`, "");
    store.refuses = (reads) => {
      usage.count("library-0", "");
      return reads.some(({ libraryUid }) => libraryUid === "library-700");
    };
    await usage.flush();
    expect(store.written.map((reads) => reads.length)).toEqual([500]);
    store.refuses = () => false;
    await Promise.all([usage.flush(), usage.flush()]);
    expect(total()).toBe(1202);
    expect(Math.max(...store.written.map((reads) => reads.length))).toBe(500);
  });

  it("keeps a limited number of libraries while writes fail, and logs what was dropped", async () => {
    const { usage, store, logged, total } = setup();
    store.refuses = () => true;
    for (let number = 0; number < 60_000; number += 1) usage.count(`library-${number}`, "");
    await usage.flush();
    expect(logged.join("")).toContain('"reads":10000');
    store.refuses = () => false;
    usage.count("library-0", "");
    await usage.flush();
    expect(total()).toBe(50_001);
  });

  it("adds up over several processes", async () => {
    const { catalog } = await catalogOfTest();
    await addLibrary(catalog, "a");
    const now = () => Date.parse(`${today}T10:00:00Z`);
    const record = (reads: readonly ReadCount[]) => noteReads({ catalog, now }, reads);
    const processes = [1, 2].map(() => createUsage({ record, every: 3_600_000, now, log: pino({ level: "silent" }) }));
    for (const usage of processes) for (let read = 0; read < 5; read += 1) usage.count("a", "");
    await Promise.all(processes.map((usage) => usage.close()));
    expect(await catalog.libraries.readsSince("a", today)).toBe(10);
  });
});

describe("a read of a library", () => {
  it("counts if it is answered with 200 or 304", async () => {
    const { send, submit, finish, counts, catalog, loaded } = await setupApp();
    const target = "/v2/context?libraryId=/acme/widgets&query=widget";
    const run = await submit("/acme/widgets");
    expect((await send("GET", target)).status).toBe(202);
    expect((await send("GET", "/v2/context?libraryId=/acme/none&query=x")).status).toBe(404);
    expect(counts.reads).toEqual([]);

    await finish(run, [codePassage]);
    const uid = (await catalog.runs.get(run))?.libraryUid;
    const { status, headers } = await send("GET", target);
    expect(status).toBe(200);
    expect(counts.reads).toEqual([uid]);
    const etag = String(headers["etag"] ?? headers["ETag"]);
    expect((await send("GET", target, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect(counts.reads).toEqual([uid, uid]);

    await send("GET", "/v2/libs/search?libraryName=widgets&query=x");
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets")).status).toBe(400);
    loaded.clear();
    expect((await send("GET", `${target}+more`)).status).toBe(503);
    expect(counts.reads).toHaveLength(2);
  });
});

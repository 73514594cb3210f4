import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createThreadPool } from "../../sources/lib/threads/thread-pool.ts";
import type { PassageIndex } from "../../domain/ports.ts";
import type { Analyse } from "../../search/sqlite/build.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { analysis } from "../../search/sqlite/passage-rows.ts";
import { ask, control, type PassageIndexSetup } from "../contracts/passage-index-asking.ts";
import { describePassageIndex } from "../contracts/passage-index.ts";
import { codePassage, prosePassage, partsOf } from "../contracts/passage-samples.ts";
import { folderOfTest } from "../support/of-test.ts";

const pool = createThreadPool({ maxThreads: 2 });
afterAll(() => pool.close());

describePassageIndex("SQLite", shared());
describePassageIndex(
  "SQLite, with threads that analyse",
  shared({ analyse: (batch, signal) => pool.run(analysis, batch, { signal, transfer: [batch.lines.buffer] }) }),
);

/** Gives each test a part of one index, as starting the writer thread takes ten times as long as a test's writes. */
function shared(options: { analyse?: Analyse } = {}): () => Promise<PassageIndexSetup> {
  let folder: string | undefined;
  let open: PassageIndex | undefined;
  let tests = 0;
  afterAll(async () => {
    await open?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });
  return async () => {
    const at = (folder ??= await mkdtemp(join(tmpdir(), "lectern-search-")));
    const index = (open ??= createSqlitePassageIndex({ folder: at, ...options }));
    tests += 1;
    const ending = `-of-${tests}`;
    return {
      index: partOf(index, ending),
      async reopen() {
        open = undefined;
        await index.close();
        const again = createSqlitePassageIndex({ folder: at, ...options });
        return { ...partOf(again, ending), close: () => again.close() };
      },
    };
  };
}

/** A view of the generations of an index whose ids have this ending; the view's ids lack it. Its `close` does nothing. */
function partOf(index: PassageIndex, ending: string): PassageIndex {
  const fullId = (id: string): string => (/^g\d$/.test(id) ? id + ending : id);
  return {
    ready: () => index.ready(),
    load: (id, parts, options) => index.load(fullId(id), parts, options),
    count: (id) => index.count(fullId(id)),
    model: (id) => index.model(fullId(id)),
    candidates: (id, question, filter) => index.candidates(fullId(id), question, filter),
    drop: (id) => index.drop(fullId(id)),
    async generations() {
      const own = (await index.generations()).filter((id) => id.endsWith(ending) || !id.includes("-of-"));
      return own.map((id) => id.replace(ending, ""));
    },
    close: () => Promise.resolve(),
  };
}

const some = [codePassage("a", { title: "Cache" }), prosePassage("b", "Proxy")];

it("removes the half-built file of a load that fails", async () => {
  const { index, folder } = await setup();
  await expect(index.load("g1", failingWith(new Error("Broken.")), control())).rejects.toThrow("Broken.");
  expect(await filesIn(folder)).toEqual([]);
});

it("fails a load with a line that is no passage, and removes its file", async () => {
  const { index, folder } = await setup();
  await expect(index.load("g1", lines("{\n"), control())).rejects.toThrow("JSON");
  expect(await filesIn(folder)).toEqual([]);
});

it("loads the next generation after one was cancelled while it was written", async () => {
  const { index, folder } = await setup();
  const controller = new AbortController();
  const parts = partsOf(
    Array.from({ length: 2000 }, (_, at) => prosePassage(`s${at}`, `Word${at} `.repeat(40))),
    200,
  );
  const report = (): void => controller.abort(new Error("Cancelled."));
  await expect(index.load("g1", parts, { ...control(), signal: controller.signal, report })).rejects.toThrow(
    "Cancelled.",
  );
  expect(await filesIn(folder)).toEqual([]);
  for (const generation of ["g2", "g3"]) expect(await index.load(generation, partsOf(some), control())).toBe(2);
  expect((await ask(index, "g3", "cache")).candidates.map(({ id }) => id)).toEqual(["a"]);
});

it("lists what a killed load left behind, and drops it", async () => {
  const { index, folder } = await setup();
  await index.load("g1", partsOf(some), control());
  const [file = ""] = await filesIn(folder);
  await writeFile(join(folder, file.replace(/sqlite$/, "0123456789ab.building")), "half");
  await writeFile(join(folder, file.replace(/g1\.sqlite$/, "g2.0123456789ab.building")), "half");
  expect(await index.generations()).toEqual(["g1", "g2"]);
  await index.drop("g1");
  expect(await index.generations()).toEqual(["g2"]);
});

it("clears what a killed load left behind when the generation is loaded again", async () => {
  const { index, folder, file } = await loaded();
  await index.drop("g1");
  await writeFile(file.replace(/sqlite$/, "0123456789ab.building"), "half");
  await index.load("g1", partsOf(some), control());
  expect(await filesIn(folder)).toEqual([expect.stringMatching(/g1\.sqlite$/)]);
});

it("treats a file of another format as not loaded, and loads it again", async () => {
  const { index, folder, file } = await loaded();
  const db = new DatabaseSync(file);
  db.exec("UPDATE meta SET value = '0.0' WHERE name = 'format'");
  db.close();
  const again = createSqlitePassageIndex({ folder });
  onTestFinished(() => again.close());
  expect(await again.count("g1")).toBeUndefined();
  await expect(ask(again, "g1", "cache")).rejects.toMatchObject({ code: "index_rebuilding" });
  expect(await again.load("g1", partsOf(some), control())).toBe(2);
  await index.close();
});

it("keeps no more files open than allowed, and reads a candidate's passage after its file was closed", async () => {
  const folder = await folderOfTest();
  const index = createSqlitePassageIndex({ folder, openFiles: 1 });
  onTestFinished(() => index.close());
  await index.load("g1", partsOf(some), control());
  await index.load("g2", partsOf(some), control());
  const { candidates, read } = await ask(index, "g1", "cache");
  const ids = candidates.slice(0, 1).map(({ id }) => id);
  await ask(index, "g2", "cache");
  expect(await read(ids)).toEqual(some.slice(0, 1));
  await index.drop("g1");
  await expect(read(ids)).rejects.toMatchObject({ code: "index_rebuilding" });
});

it("keeps the files open that are read while all are counted", async () => {
  const folder = await folderOfTest();
  const index = createSqlitePassageIndex({ folder, openFiles: 2 });
  onTestFinished(() => index.close());
  const generations = ["g1", "g2", "g3", "g4"];
  for (const generation of generations) await index.load(generation, partsOf(some), control());
  await ask(index, "g1", "cache");
  await ask(index, "g2", "cache");
  for (const generation of generations) expect(await index.count(generation)).toBe(2);
  const open = await Promise.all(
    (await readdir("/proc/self/fd")).map((number) => readlink(`/proc/self/fd/${number}`).catch(() => "")),
  );
  const ours = open.filter((path) => path.startsWith(folder)).map((path) => basename(path));
  expect(ours.toSorted()).toEqual(["g1.sqlite", "g2.sqlite"]);
});

it("fails with search_failed for a folder that cannot be used", async () => {
  const folder = await folderOfTest();
  await writeFile(join(folder, "taken"), "");
  const index = createSqlitePassageIndex({ folder: join(folder, "taken") });
  await expect(index.ready()).rejects.toMatchObject({ code: "search_failed" });
  await expect(index.load("g1", partsOf(some), control())).rejects.toMatchObject({ code: "search_failed" });
});

it("answers questions while a large generation is built", async () => {
  const { index } = await loaded();
  const many = Array.from({ length: 4000 }, (_, at) => prosePassage(`s${at}`, `Word${at} `.repeat(40)));
  const load = index.load("g2", partsOf(many, 500), control()).then(() => "built");
  const first = await Promise.race([load, ask(index, "g1", "cache").then(() => "answered")]);
  expect(first).toBe("answered");
  await load;
  expect(await index.count("g2")).toBe(4000);
});

it("keeps two threads for the next loads, however many loads end at the same moment", async () => {
  const { index } = await setup();
  const alive = aliveThreads();
  for (const round of [1, 2]) {
    const generations = Array.from({ length: 6 }, (_, at) => `g${round}-${at}`);
    await Promise.all(generations.map((generation) => index.load(generation, partsOf(some), control())));
    await expect.poll(() => alive.size).toBe(2);
  }
  await index.close();
  expect(alive.size).toBe(0);
});

it("keeps no thread for a load that ends after it was closed", async () => {
  const { index } = await setup();
  const alive = aliveThreads();
  const closed = Promise.withResolvers<void>();
  async function* parts(): AsyncIterable<Uint8Array> {
    await closed.promise;
    yield* partsOf(some);
  }
  const load = index.load("g1", parts(), control());
  await expect.poll(() => alive.size).toBe(1);
  await index.close();
  closed.resolve();
  await load;
  await expect.poll(() => alive.size).toBe(0);
});

/** The running threads among those that this process starts from now on. */
function aliveThreads(): ReadonlySet<Worker> {
  const alive = new Set<Worker>();
  const add = (worker: Worker): void => {
    alive.add(worker);
    worker.once("exit", () => alive.delete(worker));
  };
  process.on("worker", add);
  onTestFinished(() => void process.off("worker", add));
  return alive;
}

async function setup() {
  const folder = await folderOfTest();
  const index = createSqlitePassageIndex({ folder });
  onTestFinished(() => index.close());
  return { index, folder };
}

async function loaded() {
  const { index, folder } = await setup();
  await index.load("g1", partsOf(some), control());
  const [name = ""] = await filesIn(folder);
  return { index, folder, file: join(folder, name) };
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.includes(".")).toSorted();
}

// oxlint-disable-next-line require-yield -- it fails before its first part
async function* failingWith(error: Error): AsyncIterable<Uint8Array> {
  throw error;
}

async function* lines(part: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(part);
}

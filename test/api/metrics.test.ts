import { Writable } from "node:stream";

import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";

import { createMetrics } from "../../api/metrics.ts";
import type { MetricsBatch } from "../../domain/metrics.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";
import { catalogOfTest } from "../support/of-test.ts";

const today = "2026-11-21";

/** A counter with a fake clock and store. */
function setup(every = 3_600_000) {
  const clock = { now: Date.parse(`${today}T23:59:00Z`) };
  const store = { taken: [] as MetricsBatch[], refuses: false };
  const logged: string[] = [];
  let ids = 0;
  const metrics = createMetrics({
    async record(batch) {
      if (store.refuses) throw new Error("The catalog is out of reach.");
      store.taken.push(batch);
    },
    every,
    now: () => clock.now,
    newId: () => `b${(ids += 1)}`,
    log: pino(new Writable({ write: (line, _, done) => done(void logged.push(String(line))) })),
  });
  onTestFinished(() => metrics.close());
  const sum = () => store.taken.flatMap(({ answers }) => answers).reduce((total, { count }) => total + count, 0);
  return { metrics, clock, store, logged, sum };
}

const sample = { libraryUid: "a", surface: "mcp", user: "key:1", client: "cursor", topic: "Setup" } as const;

describe("counting answers", () => {
  it("writes sums per day and surface, users once, and nothing twice", async () => {
    const { metrics, clock, store } = setup();
    for (const user of ["key:1", "key:1", "key:2"]) metrics.count({ ...sample, user });
    metrics.count({ libraryUid: "b", surface: "txt", user: "key:1", country: "NL" });
    clock.now += 120_000;
    metrics.count(sample);
    await metrics.flush();
    await metrics.flush();
    expect(store.taken).toEqual([
      {
        id: "b1",
        at: clock.now,
        answers: [
          { libraryUid: "a", day: today, surface: "mcp", count: 3 },
          { libraryUid: "b", day: today, surface: "txt", count: 1 },
          { libraryUid: "a", day: "2026-11-22", surface: "mcp", count: 1 },
        ],
        users: [
          { libraryUid: "a", day: today, client: "cursor", user: "key:1" },
          { libraryUid: "a", day: today, client: "cursor", user: "key:2" },
          { libraryUid: "a", day: "2026-11-22", client: "cursor", user: "key:1" },
        ],
        topics: [{ libraryUid: "a", topic: "Setup", count: 4 }],
        countries: [{ libraryUid: "b", country: "NL", count: 1 }],
      },
    ]);
  });

  it("writes at intervals, and a last time on close", async () => {
    const { metrics, sum } = setup(20);
    metrics.count(sample);
    await expect.poll(sum).toBe(1);
    metrics.count(sample);
    await metrics.close();
    expect(sum()).toBe(2);
  });

  it("retries a batch unchanged while the catalog is unreachable, then writes the later ones", async () => {
    const { metrics, store, sum, logged } = setup();
    store.refuses = true;
    for (let times = 0; times < 3; times += 1) {
      metrics.count(sample);
      await metrics.flush();
    }
    expect([sum(), logged.length]).toEqual([0, 3]);
    store.refuses = false;
    await metrics.flush();
    expect(store.taken.map(({ id, answers }) => [id, answers[0]?.count])).toEqual([
      ["b1", 1],
      ["b2", 1],
      ["b3", 1],
    ]);
  });

  it("limits its memory while the catalog is unreachable, and logs what was dropped", async () => {
    const { metrics, store, sum, logged } = setup();
    store.refuses = true;
    for (let number = 0; number < 120_000; number += 1)
      metrics.count({ libraryUid: `l${number}`, surface: "txt", user: "key:1" });
    await metrics.flush();
    store.refuses = false;
    await metrics.flush();
    expect(sum()).toBe(100_000);
    expect(logged.join("")).toContain('"answers":20000');
  });

  it("has the right sum with two counters and a write that fails after its commit", async () => {
    const { catalog } = await catalogOfTest();
    await addLibrary(catalog, "a");
    let ids = 0;
    const counters = [1, 2].map(() =>
      createMetrics({
        async record(batch) {
          await catalog.metrics.add(batch);
          if (batch.id.endsWith("3")) ids += 1;
          if (ids === 1) throw new Error("The connection was lost after the commit.");
        },
        every: 3_600_000,
        now: Date.now,
        newId: () => `${Math.random()}-3`,
        log: pino({ level: "silent" }),
      }),
    );
    for (let round = 0; round < 5; round += 1)
      for (const counter of counters) {
        for (let times = 0; times < 100; times += 1) counter.count(sample);
        await counter.flush();
      }
    for (const counter of counters) await counter.close();
    const { total } = await catalog.metrics.of("a", { since: "2000-01-01", atMost: 1 });
    expect(total.mcp).toBe(1000);
  });
});

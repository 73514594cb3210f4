import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import type { Swept } from "../../activities/sweep.ts";
import { keepSweeping } from "../../cli/sweeping.ts";

const nothing: Swept = {
  versions: 0,
  runs: 0,
  generations: 0,
  retries: 0,
  unserved: 0,
  refreshes: { started: 0, waiting: 0, unasked: 0 },
  damaged: 0,
  orphans: 0,
  index: { live: 0, restored: 0, busy: 0, lost: 0, announced: 0 },
  problems: [],
};
const log = pino({ level: "silent" });
const usual = {
  first: nothing,
  generations: { rebuilding: async () => ({ libraries: 0, waiting: 0 }) },
  every: 5,
  log,
};

it("begins no sweep while another one is under way, and none behind that for each interval that it took", async () => {
  const sweeps: PromiseWithResolvers<Swept>[] = [];
  const stop = keepSweeping({
    sweep() {
      const sweep = Promise.withResolvers<Swept>();
      sweeps.push(sweep);
      return sweep.promise;
    },
    ...usual,
  });
  await expect.poll(() => sweeps.length).toBe(1);
  await pause(50);
  expect(sweeps).toHaveLength(1);
  // What ends the server waits for the sweep that is under way, and for no other.
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  await pause(20);
  expect(stopped).toBe(false);
  sweeps[0]?.resolve(nothing);
  await stopping;
  expect(sweeps).toHaveLength(1);
});

it("goes on after a sweep that failed", async () => {
  let sweeps = 0;
  const stop = keepSweeping({
    async sweep() {
      sweeps += 1;
      throw new Error("The disk is full.");
    },
    ...usual,
  });
  onTestFinished(stop);
  await expect.poll(() => sweeps).toBeGreaterThan(2);
});

it("tells the log how far an index is that is rebuilt, until it is", async () => {
  const lines: string[] = [];
  let waiting = 2;
  const stop = keepSweeping({
    ...usual,
    sweep: async () => nothing,
    first: { index: { live: 3, restored: 2, busy: 0, lost: 0, announced: 0 } },
    generations: { rebuilding: async () => ({ libraries: 3, waiting }) },
    lookEvery: 5,
    log: pino(
      { level: "info" },
      { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
    ),
  });
  onTestFinished(stop);
  for (; waiting >= 0; waiting -= 1) await expect.poll(() => lines.length).toBe(3 - waiting);
  await pause(30);
  expect(lines).toEqual([
    "The index is being rebuilt: 1 of 3 libraries are done.",
    "The index is being rebuilt: 2 of 3 libraries are done.",
    "The index is rebuilt.",
  ]);
});

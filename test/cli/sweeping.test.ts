import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import type { Swept } from "../../activities/sweep.ts";
import { keepSweeping } from "../../cli/sweeping.ts";

const emptySweep: Swept = {
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
const defaults = {
  first: emptySweep,
  generations: { rebuilding: async () => ({ libraries: 0, waiting: 0 }) },
  every: 5,
  log,
};

it("starts no sweep during another one, and does not catch up on missed intervals", async () => {
  const sweeps: PromiseWithResolvers<Swept>[] = [];
  const stop = keepSweeping({
    sweep() {
      const sweep = Promise.withResolvers<Swept>();
      sweeps.push(sweep);
      return sweep.promise;
    },
    ...defaults,
  });
  await expect.poll(() => sweeps.length).toBe(1);
  await pause(50);
  expect(sweeps).toHaveLength(1);
  // stop() waits for the current sweep and starts no other.
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  await pause(20);
  expect(stopped).toBe(false);
  sweeps[0]?.resolve(emptySweep);
  await stopping;
  expect(sweeps).toHaveLength(1);
});

it("continues after a failed sweep", async () => {
  let sweeps = 0;
  const stop = keepSweeping({
    async sweep() {
      sweeps += 1;
      throw new Error("The disk is full.");
    },
    ...defaults,
  });
  onTestFinished(stop);
  await expect.poll(() => sweeps).toBeGreaterThan(2);
});

it("logs the progress of an index rebuild until it is done", async () => {
  const lines: string[] = [];
  let waiting = 2;
  const stop = keepSweeping({
    ...defaults,
    sweep: async () => emptySweep,
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

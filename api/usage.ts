import type { Logger } from "pino";

import { dayOf } from "../domain/refreshing.ts";
import type { ReadCount } from "../domain/ports.ts";

/** How reads are counted. */
export interface UsageOptions {
  /** Adds the counts to those of other processes. Where it throws, nothing of them was added. */
  readonly record: (reads: readonly ReadCount[]) => Promise<void>;
  /** Milliseconds between two writes. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** Counts how often libraries are read, which decides how often they are refreshed. */
export interface Usage {
  /** Counts an answered read. Costs nothing but memory. */
  count(libraryUid: string): void;
  /** Writes what was counted. Nothing is lost where that fails: it is written with what comes next. */
  flush(): Promise<void>;
  /** Writes what was counted a last time, and ends. */
  close(): Promise<void>;
}

/** Counts in one write, so that one that fails costs no more than these. */
const batchSize = 500;

/** Libraries and days counted at most while nothing can be written; reads of others are not counted then. */
const countsAtMost = 50_000;

/** Counts reads in memory and writes them now and then, so that a read waits for nothing. */
export function createUsage({ record, every, now, log }: UsageOptions): Usage {
  /** Reads by library, of each day that is not written yet. */
  const days = new Map<string, Map<string, number>>();
  let size = 0;
  let dropped = 0;
  let writing = Promise.resolve();

  const add = (day: string, libraryUid: string, reads: number): void => {
    const counts = days.get(day) ?? new Map<string, number>();
    days.set(day, counts);
    const before = counts.get(libraryUid);
    if (before === undefined) {
      if (size >= countsAtMost) {
        dropped += reads;
        return;
      }
      size += 1;
    }
    counts.set(libraryUid, (before ?? 0) + reads);
  };

  const takeAll = (): readonly ReadCount[] => {
    const taken = [...days].flatMap(([day, counts]) =>
      [...counts].map(([libraryUid, reads]) => ({ libraryUid, day, reads })),
    );
    days.clear();
    size = 0;
    return taken;
  };

  const write = async (): Promise<void> => {
    const taken = takeAll();
    for (let first = 0; first < taken.length; first += batchSize) {
      try {
        await record(taken.slice(first, first + batchSize));
      } catch (error) {
        for (const { day, libraryUid, reads } of taken.slice(first)) add(day, libraryUid, reads);
        log.warn({ err: error, waiting: size }, "reads could not be counted and are kept for the next time");
        break;
      }
    }
    if (dropped > 0) log.warn({ reads: dropped }, "reads of too many libraries wait to be counted: some were not");
    dropped = 0;
  };

  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), every).unref();

  return {
    count: (libraryUid) => add(dayOf(now()), libraryUid, 1),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
      if (size > 0) log.error({ libraries: size }, "reads that could not be counted are lost");
    },
  };
}

import { dayOf } from "../domain/days.ts";
import type { ReadCount } from "../domain/ports.ts";
import { flushing } from "./flushing.ts";
import type { Flushing, FlushingOptions } from "./flushing.ts";

/** Counts how often libraries are read, which decides how often they are refreshed. */
export interface Usage extends Flushing {
  /** Counts an answered read of a version, in memory; "" is the default version. */
  count(libraryUid: string, version: string): void;
}

/** Batch size of a write, which bounds what a failed one repeats. */
const batchSize = 500;

/** Maximum number of entries (library version and day) while writes fail; further ones are dropped. */
const maxCounts = 50_000;

/** Counts reads in memory and flushes periodically, so that no read waits. */
export function createUsage({ record, every, now, log }: FlushingOptions<readonly ReadCount[]>): Usage {
  /** Unwritten counts by day, library and version. */
  const counts = new Map<string, ReadCount>();
  let dropped = 0;

  const add = (read: ReadCount): void => {
    // No day and no uid holds a space.
    const key = `${read.day} ${read.libraryUid} ${read.version ?? ""}`;
    const before = counts.get(key);
    if (before === undefined && counts.size >= maxCounts) dropped += read.reads;
    else counts.set(key, before ? { ...before, reads: before.reads + read.reads } : read);
  };

  const takeAll = (): readonly ReadCount[] => {
    const taken = [...counts.values()];
    counts.clear();
    return taken;
  };

  const write = async (): Promise<void> => {
    const taken = takeAll();
    for (let first = 0; first < taken.length; first += batchSize) {
      try {
        await record(taken.slice(first, first + batchSize));
      } catch (error) {
        for (const read of taken.slice(first)) add(read);
        log.warn({ err: error, waiting: counts.size }, "reads could not be counted; retrying later");
        break;
      }
    }
    if (dropped > 0)
      log.warn({ reads: dropped }, "too many libraries wait for their reads to be counted; some reads were dropped");
    dropped = 0;
  };

  return {
    count: (libraryUid, version) =>
      add({ libraryUid, day: dayOf(now()), reads: 1, ...(version !== "" && { version }) }),
    ...flushing(every, write, () => {
      if (counts.size > 0) log.error({ versions: counts.size }, "uncounted reads are lost");
    }),
  };
}

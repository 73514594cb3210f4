import { Failure } from "../domain/failures.ts";
import type { Queue } from "../domain/queues.ts";

/** What of a worker's slots the steps that read from one host may take. */
export interface HostPlaces {
  /** Takes a place; the answer gives it back. @throws Failure host_busy where the host has as many as it may */
  enter(queue: Queue, host: string): () => void;
}

/** One of this many slots is kept for other hosts. */
const slotsPerOther = 4;

/**
 * Counts the places of one worker. One slot in four of each queue, one at least, is for other hosts than the one that has the others; a
 * queue with a single slot has none to spare.
 */
export function createHostPlaces(slots: Readonly<Record<Queue, number>>): HostPlaces {
  const taken = new Map<string, number>();
  return {
    enter(queue, host) {
      const places = Math.max(1, slots[queue] - Math.max(1, Math.floor(slots[queue] / slotsPerOther)));
      const name = `${queue} ${host}`;
      const before = taken.get(name) ?? 0;
      if (before >= places)
        throw new Failure("host_busy", `${before} steps of this worker read from ${host}. The run waits for its turn.`);
      taken.set(name, before + 1);
      return () => {
        const left = (taken.get(name) ?? 1) - 1;
        if (left === 0) taken.delete(name);
        else taken.set(name, left);
      };
    },
  };
}

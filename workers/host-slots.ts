import { Failure } from "../domain/failures.ts";
import type { Queue } from "../domain/queues.ts";

/** The slots of one worker, of which steps that read from the same host may not take all. */
export interface HostSlots {
  /** Takes a slot; the answer gives it back. @throws Failure host_busy where the host has its maximum */
  take(queue: Queue, host: string): () => void;
}

/** One of this many slots is kept for other hosts. */
const slotsPerOther = 4;

/** Counts the slots that each host has. One slot in four of each queue, at least one, is kept for other hosts, except in a queue with a single slot. */
export function createHostSlots(slots: Readonly<Record<Queue, number>>): HostSlots {
  const taken = new Map<string, number>();
  return {
    take(queue, host) {
      const most = Math.max(1, slots[queue] - Math.max(1, Math.floor(slots[queue] / slotsPerOther)));
      const name = `${queue} ${host}`;
      const before = taken.get(name) ?? 0;
      if (before >= most)
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

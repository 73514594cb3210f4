import type { Logger } from "pino";

/** What is counted in memory and written periodically, so that no request waits. */
export interface Flushing {
  /** Writes what is in memory. After an error it is kept for the next flush. */
  flush(): Promise<void>;
  /** Flushes a last time, and stops. */
  close(): Promise<void>;
}

/** Options of what is counted in memory. */
export interface FlushingOptions<Batch> {
  /** Writes a batch to the catalog, all of it or nothing: after an error it is written again. */
  readonly record: (batch: Batch) => Promise<void>;
  /** Flush interval in milliseconds. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** Calls `write` every `every` milliseconds, one call at a time. `closed` is called after the last. */
export function flushing(every: number, write: () => Promise<void>, closed: () => void = () => {}): Flushing {
  let writing = Promise.resolve();
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), every).unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      await flush();
      closed();
    },
  };
}

import type { Logger } from "pino";

/** Options of `createSoon`. */
export interface SoonOptions {
  /** What to do; the signal aborts when the process stops. */
  readonly action: (signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds from a request to the action, which serves all requests until then. */
  readonly delay: number;
  /** Log message of a failed action. */
  readonly problem: string;
  readonly log: Logger;
}

/**
 * Runs an action shortly after it was requested, one at a time; requests during one make one more. What it misses, or a process that ended
 * left undone, the sweep does.
 */
export function createSoon({ action, delay, problem, log }: SoonOptions): {
  requested(): void;
  close(): Promise<void>;
} {
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let underWay = Promise.resolve();
  const round = async (): Promise<void> => {
    isWaiting = false;
    try {
      await action(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, problem);
    }
  };
  return {
    requested() {
      if (isWaiting || signal.aborted) return;
      isWaiting = true;
      timer = setTimeout(() => {
        underWay = underWay.then(round);
      }, delay).unref();
    },
    async close() {
      stopped.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}

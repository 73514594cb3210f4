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
 * Runs an action shortly after it was requested, one at a time. What it misses, or a process that ended left undone, the sweep does.
 */
export function createSoon({ action, delay, problem, log }: SoonOptions): {
  requested(): void;
  close(): Promise<void>;
} {
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const round = async (): Promise<void> => {
    try {
      await action(stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) log.warn({ err: error }, problem);
    }
  };
  return {
    requested() {
      if (stopped.signal.aborted) return;
      timer ??= setTimeout(() => {
        timer = undefined;
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

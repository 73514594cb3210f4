import type { Logger } from "pino";

/** Delay after a delivery before its refreshes start, so that deliveries in a row make one run, in milliseconds. */
const delay = 3000;

/** Options of starting refreshes that hosts request. */
export interface PushingOptions {
  /** Starts those that are requested. */
  readonly start: () => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Starts the refreshes that deliveries request some seconds after a delivery, one round at a time. What waits for an open run, or is left
 * by a process that ended, the sweep starts.
 */
export function createPushing({ start, log }: PushingOptions): { requested(): void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const round = async (): Promise<void> => {
    try {
      await start();
    } catch (error) {
      log.warn({ err: error }, "refreshes that hosts requested could not be started; the sweep starts them");
    }
  };
  return {
    requested() {
      timer ??= setTimeout(() => {
        timer = undefined;
        underWay = underWay.then(round);
      }, delay).unref();
    },
    async close() {
      clearTimeout(timer);
      await underWay;
    },
  };
}

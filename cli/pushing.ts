import type { Logger } from "pino";
import type { StartedPushes } from "../domain/hooks.ts";

/** Delay after a delivery before its refreshes start, so that deliveries in a row make one run, in milliseconds. */
const delay = 3000;

/** Options of starting refreshes that hosts request. */
export interface PushingOptions {
  /** Starts those that are requested. */
  readonly start: () => Promise<StartedPushes>;
  readonly log: Logger;
}

/**
 * Starts the refreshes that deliveries request, one round at a time: some seconds after a delivery, and again while versions wait for an
 * open run to end. If the process ends, or the engine is unavailable, the sweep starts them.
 */
export function createPushing({ start, log }: PushingOptions): { requested(): void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  let closed = false;
  const round = async (): Promise<void> => {
    try {
      const { waiting } = await start();
      if (waiting > 0) requested();
    } catch (error) {
      log.warn({ err: error }, "refreshes that hosts requested could not be started; the sweep starts them");
    }
  };
  function requested(): void {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      underWay = underWay.then(round);
    }, delay).unref();
  }
  return {
    requested,
    async close() {
      closed = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}

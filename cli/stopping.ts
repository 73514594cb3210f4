import { constants } from "node:os";
import type { Logger } from "pino";

/** Maximum time of a stop, in milliseconds; less than the 10 s after which `docker stop` kills. */
export const stopDeadline = 9000;

/** Time after the first signal in which others count as the same, in milliseconds: npm and `timeout` repeat signals to the process group. */
const repeatWindow = 500;

const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
type StopSignal = (typeof stopSignals)[number];

/** Options of `takeStopSignals`. */
export interface StopOptions {
  readonly log: Pick<Logger, "info" | "warn" | "flush">;
  /** Default: `stopDeadline`. */
  readonly deadline?: number;
  /** Called before the process ends with open resources; it has to be synchronous. */
  readonly onCutShort?: () => void;
}

/** The stop of a process. */
export interface Stop {
  /** Resolves at the first stop signal. */
  readonly asked: Promise<void>;
  /** Starts the deadline without a signal; at the deadline the process ends with code 1. */
  begin(): void;
}

/**
 * Handles the stop signals. From the first one, the process has until the deadline to close its resources. At the deadline or the next
 * signal it ends at once, like a process without a handler.
 */
export function takeStopSignals({ log, deadline = stopDeadline, onCutShort }: StopOptions): Stop {
  const asked = Promise.withResolvers<void>();
  let isBegun = false;
  /** Whether the next signal is a new one, not a repetition. */
  let isNew = false;

  function cutShort(signal?: StopSignal): void {
    onCutShort?.();
    if (signal === undefined) process.exit(1);
    // The kernel ignores this signal for the first process of a container.
    if (process.pid === 1) process.exit(128 + constants.signals[signal]);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  function begin(signal?: StopSignal): void {
    if (isBegun) return;
    isBegun = true;
    // A signal that arrived while the event loop was blocked is handled after timers, and before immediates.
    setTimeout(() => setImmediate(() => (isNew = true)).unref(), repeatWindow).unref();
    // Unreferenced, so that a process without open resources ends at once.
    setTimeout(() => {
      log.warn({ open: process.getActiveResourcesInfo() }, "the stop took too long, so the process ends");
      log.flush();
      setTimeout(cutShort, 100, signal).unref();
    }, deadline).unref();
  }

  for (const signal of stopSignals)
    process.on(signal, () => {
      if (isNew) return cutShort(signal);
      if (!isBegun) log.info({ signal }, "shutting down");
      begin(signal);
      asked.resolve();
    });
  return { asked: asked.promise, begin: () => begin() };
}

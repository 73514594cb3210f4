import { constants } from "node:os";
import type { Logger } from "pino";

/** Time that a stop takes at most, in milliseconds; less than the 10 s after which `docker stop` kills. */
export const stopDeadline = 9000;

/** Signals so soon after the first one are the same, in milliseconds: npm and `timeout` pass on what came with the process group. */
const sameStop = 500;

const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
type StopSignal = (typeof stopSignals)[number];

/** How a process stops. */
export interface StopOptions {
  readonly log: Pick<Logger, "info" | "warn" | "flush">;
  /** `stopDeadline` unless given. */
  readonly deadline?: number;
  /** Called before the process ends with what is still open; it has to be synchronous. */
  readonly onCutShort?: () => void;
}

/** The stop of a process. */
export interface Stop {
  /** Resolves at the first stop signal. */
  readonly asked: Promise<void>;
  /** Has the process end within the deadline, as the signal does; cut short, it ends with code 1. */
  begin(): void;
}

/**
 * Takes over the stop signals. From the first one on the process has until the deadline to close what it has open; then, or at the next
 * signal, it ends at once, as that signal ends a process without a handler.
 */
export function takeStopSignals({ log, deadline = stopDeadline, onCutShort }: StopOptions): Stop {
  const asked = Promise.withResolvers<void>();
  let isBegun = false;
  /** Whether the next signal is another one. */
  let isNext = false;

  function cutShort(signal?: StopSignal): void {
    onCutShort?.();
    if (signal === undefined) process.exit(1);
    // The kernel ignores such a signal to the first process of a container.
    if (process.pid === 1) process.exit(128 + constants.signals[signal]);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  function begin(signal?: StopSignal): void {
    if (isBegun) return;
    isBegun = true;
    // A signal that came while the event loop stood still is handled after timers, and before immediates.
    setTimeout(() => setImmediate(() => (isNext = true)).unref(), sameStop).unref();
    // What would end by itself is not kept waiting.
    setTimeout(() => {
      log.warn({ open: process.getActiveResourcesInfo() }, "the stop took too long, so the process ends");
      log.flush();
      setTimeout(cutShort, 100, signal).unref();
    }, deadline).unref();
  }

  for (const signal of stopSignals)
    process.on(signal, () => {
      if (isNext) return cutShort(signal);
      if (!isBegun) log.info({ signal }, "shutting down");
      begin(signal);
      asked.resolve();
    });
  return { asked: asked.promise, begin: () => begin() };
}

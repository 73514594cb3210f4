import { asyncLocalStorage, Context, type Info } from "@temporalio/activity";
import { CancelledFailure, noopMetricMeter } from "@temporalio/common";
import { toTemporalLogger } from "../../workers/temporal-worker.ts";
import { pino } from "pino";

/** What an activity sees of a worker. */
export interface ActivityEnvironment {
  /** Details of its heartbeats so far. */
  readonly beats: readonly unknown[];
  run<A extends readonly unknown[], T>(activity: (...args: A) => Promise<T>, ...args: A): Promise<T>;
  /** Cancels it, as a cancelled workflow does. */
  cancel(): void;
}

/** Makes an environment whose activities are at their first attempt. */
export function activityEnvironment(): ActivityEnvironment {
  const beats: unknown[] = [];
  const cancelling = new AbortController();
  const context = new Context(
    { attempt: 1 } as Info,
    new Promise(() => undefined),
    cancelling.signal,
    (details) => beats.push(details),
    undefined,
    toTemporalLogger(pino({ level: "silent" })),
    noopMetricMeter,
    {},
  );
  return {
    beats,
    run: (activity, ...args) => asyncLocalStorage.run(context, activity, ...args),
    cancel: () => cancelling.abort(new CancelledFailure("CANCELLED")),
  };
}

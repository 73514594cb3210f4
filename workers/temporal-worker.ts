import { setTimeout as sleep } from "node:timers/promises";
import type { DataConverter } from "@temporalio/common";
import {
  Worker,
  makeTelemetryFilterString,
  Runtime,
  type NativeConnection,
  type WorkerOptions,
  type WorkflowBundleOption,
  DefaultLogger,
} from "@temporalio/worker";
import { Failure } from "../domain/failures.ts";
import type { Queue } from "../domain/queues.ts";
import { taskQueue } from "../workflows/names.ts";
import { createTemporalActivities, type TemporalActivities } from "./temporal-activities.ts";
import type { Logger } from "pino";

/** Options of a worker. */
export interface TemporalWorkerOptions extends TemporalActivities {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly queues: readonly Queue[];
  readonly slots: Readonly<Record<Queue, number>>;
  readonly dataConverter?: DataConverter;
  /** The result of `bundleWorkflows`, for the queue `main`. */
  readonly workflowBundle: WorkflowBundleOption;
  /** Grace period of steps at shutdown, in milliseconds; then other workers continue them. */
  readonly shutdownGrace: number;
  /** Milliseconds without a response from Temporal after which `run` rejects; absent: never. */
  readonly lostAfter?: number;
  /** Name of this worker in histories; by default process and host. */
  readonly identity?: string;
}

/** A worker of Temporal. */
export interface TemporalWorker {
  /**
   * Polls the task queues until `stop` is called and running steps are finished or handed back.
   * @throws Failure service_unavailable if Temporal was unreachable for `lostAfter`: the process should restart
   */
  run(): Promise<void>;
  /** Starts the shutdown; `run` resolves at its end. */
  stop(): void;
  /** Resolves once the worker no longer uses the connection, however it ended; at once if it never ran. */
  stopped(): Promise<void>;
  ready(): boolean;
}

/** Maximum number of cached workflows, whose next step needs no replay of their history. */
const cachedRuns = 200;

/**
 * Maximum number of concurrent workflow tasks of one worker; each takes a few milliseconds. With the SDK's default of 40, a small server
 * needs longer than a second for one, loses track of steps, and hands them out again only after 10 to 30 s (1.29.1 on SQLite, hundreds of
 * runs started at once).
 */
const workflowTasks = 8;

/** Minimum interval of pings to the server, in milliseconds. */
const checkInterval = 20_000;

/** Time after the grace period until a worker ends, whatever its steps do, in milliseconds. */
const stopTimeout = 4000;

/** The workers of one process: one for each queue. The one of `main` executes workflows too. */
export async function createTemporalWorker(options: TemporalWorkerOptions): Promise<TemporalWorker> {
  const { connection, namespace, queues, slots, workflowBundle, shutdownGrace, dataConverter, identity } = options;
  const { lostAfter } = options;
  const activities = createTemporalActivities(options);
  const optionsOf = (queue: Queue): WorkerOptions => ({
    connection,
    namespace,
    taskQueue: taskQueue(queue),
    activities,
    maxConcurrentActivityTaskExecutions: slots[queue],
    // Cancellations arrive in the responses to heartbeats.
    maxHeartbeatThrottleInterval: "3 seconds",
    defaultHeartbeatThrottleInterval: "3 seconds",
    shutdownGraceTime: shutdownGrace,
    shutdownForceTime: shutdownGrace + stopTimeout,
    ...(dataConverter !== undefined && { dataConverter }),
    ...(identity !== undefined && { identity }),
    ...(queue === "main" && {
      workflowBundle,
      maxCachedWorkflows: cachedRuns,
      maxConcurrentWorkflowTaskExecutions: workflowTasks,
      // A nondeterminism error fails the run; by default it would be retried for ever.
      workflowFailureErrorTypes: { "*": ["NondeterminismError"] },
    }),
  });
  const workers = await Promise.all(queues.map((queue) => Worker.create(optionsOf(queue))));

  let stopping = false;
  let over: Promise<void> = Promise.resolve();
  const stop = (): void => {
    stopping = true;
    for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
  };
  return {
    async run() {
      const stopped = new AbortController();
      const runs = workers.map((worker) => worker.run().finally(stop));
      const ended = Promise.all(runs);
      over = Promise.allSettled(runs).then(() => undefined);
      // `stop` was called before `run`.
      if (stopping) stop();
      try {
        await Promise.race([
          ended,
          ...(lostAfter === undefined ? [] : [untilLost(connection, lostAfter, stopped.signal)]),
        ]);
      } finally {
        stopped.abort();
      }
    },
    stop,
    stopped: () => over,
    ready: () => !stopping && workers.every((worker) => worker.getState() === "RUNNING"),
  };
}

/** Rejects once the server has not responded for a number of milliseconds. A worker's own polls would wait for ever. */
async function untilLost(connection: NativeConnection, lostAfter: number, signal: AbortSignal): Promise<never> {
  const every = Math.min(checkInterval, lostAfter / 5);
  // At least two, so that a suspended process does not look like an unreachable server.
  const missesAtLeast = 2;
  let answeredAt = performance.now();
  for (let missed = 0; missed < missesAtLeast || performance.now() - answeredAt < lostAfter;) {
    await sleep(every, undefined, { signal, ref: false });
    const sentAt = performance.now();
    const answered = await connection
      .withDeadline(Date.now() + every, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      );
    missed = answered ? 0 : missed + 1;
    if (answered) answeredAt = sentAt;
  }
  const seconds = Math.round(lostAfter / 1000);
  const message = `Temporal did not respond for ${seconds} s. This worker exits; its supervisor has to restart it.`;
  throw new Failure("service_unavailable", message);
}

const levels = { TRACE: "trace", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;

let installed = false;

/**
 * Forwards the log of Temporal's runtime to ours and leaves signals to the process. Call it before the first NativeConnection, which
 * otherwise starts its own runtime. A process has one runtime: later calls do nothing. `metricsAddress` (host:port) serves metrics for
 * Prometheus; null: none.
 */
export function installRuntime(log: Logger, metricsAddress: string | null = null): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: toTemporalLogger(log),
    // The process decides in what order it stops.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }) },
      ...(metricsAddress !== null && {
        metrics: {
          prometheus: { bindAddress: metricsAddress, useSecondsForDurations: true, countersTotalSuffix: true },
        },
      }),
    },
  });
}

/** Adapts our logger for Temporal. */
export function toTemporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger("TRACE", ({ level, message, meta: { error, ...meta } = {} }) =>
    log[levels[level]]({ ...meta, ...(error !== undefined && { err: error as unknown }) }, message),
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import type { DataConverter } from "@temporalio/common";
import { Worker } from "@temporalio/worker";
import type { NativeConnection, WorkerOptions, WorkflowBundleOption } from "@temporalio/worker";
import { Failure } from "../domain/failures.ts";
import type { Queue } from "../domain/steps.ts";
import { taskQueue } from "../workflows/names.ts";
import { createTemporalActivities } from "./temporal-activities.ts";
import type { TemporalActivities } from "./temporal-activities.ts";

export interface TemporalWorkerOptions extends TemporalActivities {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly queues: readonly Queue[];
  /** Steps executed at the same time, by queue. */
  readonly slots: Readonly<Record<Queue, number>>;
  /** The same as the client's. */
  readonly dataConverter?: DataConverter;
  /** What bundleWorkflows made; needed where `main` is among the queues. */
  readonly workflowBundle: WorkflowBundleOption;
  /** How long steps may go on once the worker is told to stop, in milliseconds; then others take them over. */
  readonly shutdownGrace: number;
  /** How long Temporal may give no answer before `run` rejects, in milliseconds; absent: it waits for as long as it takes. */
  readonly lostAfter?: number;
  /** Name of this worker in histories; by default process and host. */
  readonly identity?: string;
}

export interface TemporalWorker {
  /**
   * Serves the queues until `stop` is called and what was under way is finished or handed back.
   * @throws Failure service_unavailable where Temporal was out of reach for `lostAfter`: the process had better start anew
   */
  run(): Promise<void>;
  /** Tells it to stop; `run` resolves when it has. */
  stop(): void;
  /** Resolves once nothing of it uses the connection any more, however it ended; at once where it never ran. */
  stopped(): Promise<void>;
  /** Whether every queue is being served. */
  ready(): boolean;
}

/** Open runs kept in memory, so that the next step needs no look at their history. */
const cachedRuns = 200;

/**
 * Turns of runs that one worker computes at the same time; each takes a few milliseconds. With more of them, a small
 * server is kept busy by so many that it takes longer than a second for one: the SDK's 40 a worker made it lose track of
 * steps, which it gives out anew only after 10 to 30 s (1.29.1 on SQLite, hundreds of runs started at once).
 */
const workflowTasks = 8;

/** The server is asked every so many milliseconds at most whether it is there. */
const checkEvery = 20_000;

/** How long after the grace a step that does not stop is left behind, in milliseconds. */
const stopsWithin = 15_000;

/** One process's share of the work: a Worker of Temporal's for each queue; workflows run where `main` is served. */
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
    // Cancellations come with the answers to heartbeats.
    maxHeartbeatThrottleInterval: "3 seconds",
    defaultHeartbeatThrottleInterval: "3 seconds",
    shutdownGraceTime: shutdownGrace,
    shutdownForceTime: shutdownGrace + stopsWithin,
    ...(dataConverter !== undefined && { dataConverter }),
    ...(identity !== undefined && { identity }),
    ...(queue === "main" && {
      workflowBundle,
      maxCachedWorkflows: cachedRuns,
      maxConcurrentWorkflowTaskExecutions: workflowTasks,
      // A history that the code does not fit ends its run; by default it would be tried again for ever.
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
      // Told to stop before it ran.
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

/** Rejects once the server has given no answer for so long, in milliseconds. A worker's own polls would wait for ever. */
async function untilLost(connection: NativeConnection, lostAfter: number, signal: AbortSignal): Promise<never> {
  const every = Math.min(checkEvery, lostAfter / 5);
  // Two at least, so that a process which was put to sleep itself is not taken for a server that is away.
  const missesAtLeast = 2;
  let heard = performance.now();
  for (let missed = 0; missed < missesAtLeast || performance.now() - heard < lostAfter;) {
    await sleep(every, undefined, { signal, ref: false });
    const asked = performance.now();
    const answered = await connection
      .withDeadline(Date.now() + every, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      );
    missed = answered ? 0 : missed + 1;
    if (answered) heard = asked;
  }
  const seconds = Math.round(lostAfter / 1000);
  const message = `Temporal did not respond for ${seconds} s. This worker exits; its supervisor has to restart it.`;
  throw new Failure("service_unavailable", message);
}

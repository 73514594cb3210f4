import { Context } from "@temporalio/activity";
import type { Logger } from "pino";
import { createFairQueue, type FairQueue, type Leave } from "../domain/fair-queue.ts";
import { Failure, failures, isFailure, toFailureRecord } from "../domain/failures.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { Catalog, StepControl } from "../domain/ports.ts";
import { queues, type Queue } from "../domain/queues.ts";
import {
  policyOf,
  stepPolicies,
  type IndexingRequest,
  type IndexingSteps,
  type Phase,
  type Progress,
  type StepName,
  type StepPolicy,
} from "../domain/steps.ts";
import { sweepPolicy } from "../workflows/names.ts";
import { attemptStep } from "./attempt.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import { toApplicationFailure } from "./temporal-failures.ts";

/** The work of a worker. */
export interface TemporalActivities {
  /** The steps; `step` returns the control of the current call. */
  readonly activities: (step: () => StepControl) => IndexingSteps;
  /** The sweep; its result is shown in the Web UI. */
  readonly sweep: (options: { readonly thorough: boolean }, control: StepControl) => Promise<unknown>;
  readonly catalog: Pick<Catalog, "runs" | "libraries">;
  readonly log: Logger;
  readonly now: () => number;
}

const reading: ReadonlySet<StepName> = new Set(["resolve", "collect", "render"]);

/** The phase of each step; the end of a run has none. */
const phases: Readonly<Partial<Record<StepName, Phase>>> = {
  resolve: "resolving",
  collect: "collecting",
  render: "collecting",
  assess: "assessing",
  load: "loading",
  publish: "publishing",
  announce: "announcing",
  retire: "retiring",
};

/** Interval of a step's heartbeats with its progress, in milliseconds. A cancellation comes with the response. */
const heartbeatInterval = 1000;
const reportInterval = 1000;

/** The steps of a run and the sweep as Temporal's activities, by name. `slots` are the worker's, by queue. */
export function createTemporalActivities({
  activities,
  sweep,
  catalog,
  log,
  now,
  slots,
}: TemporalActivities & { readonly slots: Readonly<Record<Queue, number>> }): object {
  const hostSlots = new Map(queues.map((queue) => [queue, createHostSlots(slots[queue])]));
  /** Takes a slot for the host that a step reads from, and returns the function that frees it. @throws Failure host_busy */
  const enter = async (name: StepName, { queue }: StepPolicy, request: IndexingRequest): Promise<Leave | undefined> => {
    const reads = reading.has(name) && request.generation === undefined;
    const library = reads ? await catalog.libraries.get(request.libraryUid) : undefined;
    const host = library && kindOf(library.source).host(library.source);
    return typeof host === "string" ? hostSlots.get(queue)?.enter(host) : undefined;
  };
  const steps = (Object.keys(stepPolicies) as StepName[]).map((name) => {
    const execute = async (input: { readonly request: IndexingRequest }): Promise<unknown> => {
      const { runId, libraryId, version } = input.request;
      const { attempt } = Context.current().info;
      const stepLog = log.child({ runId, library: libraryId, version, step: name, attempt });
      const reporter = createReporter({ catalog, runId, every: reportInterval, log: stepLog, now });
      const phase = phases[name];
      if (phase) reporter.enter(phase);
      reporter.begin(attempt);
      const policy = policyOf(name, input);
      try {
        return await attemptActivity(policy, stepLog, reporter, async (context) => {
          const leave = await enter(name, policy, input.request);
          const step = activities(() => context)[name] as (given: unknown) => Promise<unknown>;
          return step(input).finally(() => leave?.());
        });
      } finally {
        await reporter.settled();
      }
    };
    return [name, execute] as const;
  });
  const sweepOnce = (input: { readonly thorough: boolean }): Promise<unknown> =>
    attemptActivity(sweepPolicy, log.child({ step: "sweep" }), { report: () => {}, failed: () => {} }, (context) =>
      sweep(input, context),
    );
  return { ...Object.fromEntries(steps), sweep: sweepOnce };
}

/** Makes one attempt under a step's policy, as the current activity of Temporal. */
async function attemptActivity<T>(
  policy: StepPolicy,
  log: Logger,
  reporter: Pick<Reporter, "report" | "failed">,
  step: (context: StepControl) => Promise<T>,
): Promise<T> {
  const activity = Context.current();
  const { cancellationSignal } = activity;
  let progress: Progress = {};
  // A heartbeat shows that the event loop runs; the attempt watches the step's own progress.
  const beat = (): void => activity.heartbeat(progress);
  // No heartbeat at the start: most steps end before the first one, and each costs the server a write.
  const beating = setInterval(beat, heartbeatInterval);
  try {
    return await attemptStep(
      policy,
      cancellationSignal,
      (latest) => {
        progress = latest;
        reporter.report(latest);
      },
      step,
    );
  } catch (error) {
    if (!cancellationSignal.aborted) {
      const isTurn = isFailure(error, "host_busy");
      if (isTurn) log.debug({ reason: error.message }, "step waits");
      else if (error instanceof Failure) log.warn({ code: error.code, reason: error.message }, "step failed");
      else log.error({ err: error }, "step failed");
      const failure = toFailureRecord(error);
      if (!isTurn && failures[failure.code].retryable) reporter.failed(failure);
      throw toApplicationFailure(error);
    }
    if (!activity.cancellationDetails?.workerShutdown) throw error;
    // As host_busy, which does not count as an attempt.
    throw toApplicationFailure(
      new Failure("host_busy", "The worker is shutting down. Another one continues the step."),
    );
  } finally {
    clearInterval(beating);
  }
}

/** One of this many slots is reserved for other hosts. */
const slotsPerOther = 4;

/**
 * The slots of a queue in one worker, which a single host may not fill: a quarter, at least one, is reserved for other hosts, unless
 * there is only one. A step that gets none fails with host_busy, and waits in Temporal.
 */
function createHostSlots(places: number): FairQueue<string> {
  const most = Math.max(1, places - Math.max(1, Math.floor(places / slotsPerOther)));
  const refuse = (host: string): Failure =>
    new Failure("host_busy", `${most} steps of this worker read from ${host}. The run waits for its turn.`);
  return createFairQueue({ places, most: () => most, maxWaiting: 0, refuse });
}

import { Context } from "@temporalio/activity";
import type { Logger } from "pino";
import { Failure, failures, toFailureRecord } from "../domain/failures.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { Catalog, StepControl } from "../domain/ports.ts";
import type { Queue } from "../domain/queues.ts";
import { policyOf, stepPolicies } from "../domain/steps.ts";
import type { IndexingRequest, IndexingSteps, Phase, Progress, StepName, StepPolicy } from "../domain/steps.ts";
import { sweepPolicy } from "../workflows/names.ts";
import { attemptStep } from "./attempt.ts";
import { createReporter } from "./reporter.ts";
import type { Reporter } from "./reporter.ts";
import { toApplicationFailure } from "./temporal-failures.ts";

/** What workers execute. */
export interface TemporalActivities {
  /** The steps, each call bound to its context. */
  readonly activities: (step: () => StepControl) => IndexingSteps;
  /** The sweep; its answer is shown in the Web UI. */
  readonly sweep: (options: { readonly thorough: boolean }, control: StepControl) => Promise<unknown>;
  readonly catalog: Pick<Catalog, "runs" | "libraries">;
  readonly log: Logger;
  readonly now: () => number;
}

/** The steps that read from a source's host. */
const reading: ReadonlySet<StepName> = new Set(["resolve", "collect", "render"]);

/** The parts of the story that are steps; the end of a run is not. */
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
  const hostSlots = createHostSlots(slots);
  /** A place of the host that a step reads from; what leaves it. @throws Failure host_busy */
  const enter = async (name: StepName, { queue }: StepPolicy, request: IndexingRequest): Promise<() => void> => {
    const reads = reading.has(name) && request.generation === undefined;
    const library = reads ? await catalog.libraries.get(request.libraryUid) : undefined;
    const host = library && kindOf(library.source).host(library.source);
    return typeof host === "string" ? hostSlots.take(queue, host) : () => {};
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
          return step(input).finally(leave);
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

/** One attempt under a step's policy, as Temporal's activity that is being executed. */
async function attemptActivity<T>(
  policy: StepPolicy,
  log: Logger,
  reporter: Pick<Reporter, "report" | "failed">,
  step: (context: StepControl) => Promise<T>,
): Promise<T> {
  const activity = Context.current();
  const { cancellationSignal } = activity;
  let progress: Progress = {};
  // A heartbeat says that the event loop turns; the attempt watches the step's own progress.
  const beat = (): void => activity.heartbeat(progress);
  // None at the start: most steps are done before the first one, and each costs the server a write.
  const beating = setInterval(beat, heartbeatInterval);
  try {
    return await attemptStep(
      policy,
      cancellationSignal,
      (told) => {
        progress = told;
        reporter.report(told);
      },
      step,
    );
  } catch (error) {
    if (!cancellationSignal.aborted) {
      const isTurn = error instanceof Failure && error.code === "host_busy";
      if (isTurn) log.debug({ reason: error.message }, "step waits");
      else if (error instanceof Failure) log.warn({ code: error.code, reason: error.message }, "step failed");
      else log.error({ err: error }, "step failed");
      const failure = toFailureRecord(error);
      if (!isTurn && failures[failure.code].retryable) reporter.failed(failure);
      throw toApplicationFailure(error);
    }
    if (!activity.cancellationDetails?.workerShutdown) throw error;
    // The run waits for its turn, as that is no attempt.
    throw toApplicationFailure(
      new Failure("host_busy", "The worker is shutting down. Another one continues the step."),
    );
  } finally {
    clearInterval(beating);
  }
}

/** The slots of one worker, of which steps that read from the same host may not take all. */
interface HostSlots {
  /** Takes a slot; the answer gives it back. @throws Failure host_busy where the host has its maximum */
  take(queue: Queue, host: string): () => void;
}

/** One of this many slots is kept for other hosts. */
const slotsPerOther = 4;

/** Counts the slots that each host has. One slot in four of each queue, at least one, is kept for other hosts, except in a queue with a single slot. */
function createHostSlots(slots: Readonly<Record<Queue, number>>): HostSlots {
  const taken = new Map<string, number>();
  return {
    take(queue, host) {
      const most = Math.max(1, slots[queue] - Math.max(1, Math.floor(slots[queue] / slotsPerOther)));
      const name = `${queue} ${host}`;
      const before = taken.get(name) ?? 0;
      if (before >= most)
        throw new Failure("host_busy", `${before} steps of this worker read from ${host}. The run waits for its turn.`);
      taken.set(name, before + 1);
      return () => {
        const left = (taken.get(name) ?? 1) - 1;
        if (left === 0) taken.delete(name);
        else taken.set(name, left);
      };
    },
  };
}

import {
  ActivityCancellationType,
  CancellationScope,
  proxyActivities,
  sleep,
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
  type ActivityOptions,
} from "@temporalio/workflow";
import { Failure, isOutage, isFailureCode, isSourceAtFault, toFailureRecord } from "../domain/failures.ts";
import {
  maxOutages,
  outageDelay,
  policyOf,
  stepPolicies,
  type IndexingSteps,
  type StepName,
  type StepPolicy,
} from "../domain/steps.ts";
import { execution, taskQueue } from "./names.ts";

type Step = (input: unknown) => Promise<unknown>;

/** Maximum backoff of a run that waits for its turn at a host, in milliseconds. */
const maxBackoff = 60_000;

/** The activity options for a policy of domain/steps.ts. */
export function activityOptions(policy: StepPolicy): ActivityOptions {
  return {
    taskQueue: taskQueue(policy.queue),
    summary: policy.summary,
    // Workers enforce timeout and heartbeat themselves, with an error message that says why.
    startToCloseTimeout: policy.timeout + execution.slack,
    heartbeatTimeout: execution.lostAfter,
    // A run must not end while one of its steps still works, as it would by default.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: "1 second",
      backoffCoefficient: 2,
      maximumInterval: "30 seconds",
      maximumAttempts: policy.attempts,
    },
  };
}

/** The steps of domain/steps.ts as activities that workers execute. */
export function createSteps(): IndexingSteps {
  const names = Object.keys(stepPolicies) as StepName[];
  return Object.fromEntries(names.map((name) => [name, executed(name)])) as unknown as IndexingSteps;
}

function executed(name: StepName): Step {
  const step: Step = (input) => {
    const policy = policyOf(name, input);
    const activity = proxyActivities<Record<StepName, Step>>(activityOptions(policy))[name];
    return throughOutages(policy.summary, () => activity(input));
  };
  // The end of a run is recorded even if the run was cancelled.
  return name === "conclude" ? (input) => CancellationScope.nonCancellable(() => step(input)) : step;
}

/**
 * Retries a step with backoff while catalog, index or store are unreachable, for longer than the step's own retries. While a host is busy
 * with other runs, it waits without a limit.
 */
async function throughOutages(summary: string, step: () => Promise<unknown>): Promise<unknown> {
  let outages = 0;
  for (let turn = 0; ;) {
    try {
      return await step();
    } catch (error) {
      const failure = toStepFailure(error, summary);
      if (!(failure instanceof Failure)) throw failure;
      const waits = failure.code === "host_busy";
      if (waits) turn += 1;
      else outages += 1;
      if (!waits && (!isOutage(failure.code) || outages === maxOutages)) throw failure;
      const backoff = waits ? Math.min(1000 * 2 ** (turn - 1), maxBackoff) : outageDelay(outages);
      await sleep(backoff, { summary: `Wait: ${failure.code}` });
    }
  }
}

/**
 * Converts the error of a step for domain/: a Failure by the type that its worker set, or run_interrupted if workers were lost.
 * Cancellations and unexpected errors stay unchanged.
 */
export function toStepFailure(error: unknown, summary: string): unknown {
  if (isCancellation(error)) return error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && isFailureCode(cause.type ?? ""))
    return new Failure(cause.type as Failure["code"], cause.message, { cause: error });
  if (cause instanceof TimeoutFailure) {
    const message = `The step "${summary}" used up its retries: no worker finished it. See the workers' logs for why.`;
    return new Failure("run_interrupted", message, { cause: error });
  }
  return error;
}

/** The error that fails a run, with the failure's code as its type, which the Web UI shows. */
export function toRunFailure(error: unknown): ApplicationFailure {
  const { code, message } = toFailureRecord(error);
  return plain(
    ApplicationFailure.create({
      message,
      type: code,
      nonRetryable: true,
      ...(isSourceAtFault(code) && { category: "BENIGN" }),
    }),
  );
}

/** The error that closes a cancelled run. */
export function toRunCancellation(error: unknown): Error {
  return isCancellation(error) && error instanceof Error
    ? error
    : plain(new CancelledFailure("The run was cancelled."));
}

/** The error without its stack, which is of generated code and would hide the message. */
function plain<T extends Error>(error: T): T {
  error.stack = "";
  return error;
}

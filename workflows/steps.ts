import { ActivityCancellationType, CancellationScope, proxyActivities, sleep } from "@temporalio/workflow";
import type { ActivityOptions } from "@temporalio/workflow";
import { Failure } from "../domain/failures.ts";
import { stepPolicies } from "../domain/steps.ts";
import type { IndexingSteps, StepName, StepPolicy } from "../domain/steps.ts";
import { toStepFailure } from "./failures.ts";
import { execution, taskQueue } from "./names.ts";

type Step = (input: unknown) => Promise<unknown>;

/** How often a run waits for a part of the deployment that is away, and for how long at most at a time: half an hour in all. */
const outagesAtMost = 32;
const outageWait = 60_000;

/** How an activity is executed under a policy of domain/steps.ts. */
export function activityOptions(policy: StepPolicy): ActivityOptions {
  return {
    taskQueue: taskQueue(policy.queue),
    summary: policy.summary,
    // Workers watch over timeout and progress themselves, and say why in a sentence.
    startToCloseTimeout: policy.timeout + execution.slack,
    heartbeatTimeout: execution.lostAfter,
    // A run is not over while one of its steps still works; by default it would be.
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
  const policy = stepPolicies[name];
  const activity = proxyActivities<Record<StepName, Step>>(activityOptions(policy))[name];
  const step: Step = (input) => throughOutages(policy.summary, () => activity(input));
  // The end of a run is written down even when the run was cancelled.
  return name === "conclude" ? (input) => CancellationScope.nonCancellable(() => step(input)) : step;
}

/** Catalog, index or store may be away for longer than attempts are made: the run waits for them instead of failing. */
async function throughOutages(summary: string, step: () => Promise<unknown>): Promise<unknown> {
  for (let outage = 1; ; outage += 1) {
    try {
      return await step();
    } catch (error) {
      const failure = toStepFailure(error, summary);
      if (!isOutage(failure) || outage === outagesAtMost) throw failure;
      await sleep(Math.min(5000 * 2 ** (outage - 1), outageWait), { summary: `Wait: ${failure.code}` });
    }
  }
}

function isOutage(error: unknown): error is Failure {
  return error instanceof Failure && (error.code === "search_failed" || error.code === "service_unavailable");
}

import { isCancellation, proxyActivities, setWorkflowOptions, workflowInfo } from "@temporalio/workflow";
import { toRunFailure, toStepFailure } from "./failures.ts";
import { sweepPolicy } from "./names.ts";
import { activityOptions } from "./steps.ts";

/** A walk over all that is stored, in milliseconds. */
const thoroughEvery = 3_600_000;

const scheduledTime = { name: "TemporalScheduledStartTime", type: "DATETIME" } as const;

setWorkflowOptions({ failureExceptionTypes: [Error] }, sweep);

/** One sweep of the Schedule that starts one every `everySeconds`; about once an hour it is a thorough one. */
export async function sweep({ everySeconds }: { readonly everySeconds: number }): Promise<unknown> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const scheduled = typedSearchAttributes.get(scheduledTime) ?? startTime;
  const thorough = isThorough(scheduled.getTime(), everySeconds * 1000);
  const activities = proxyActivities<{ sweep(input: { thorough: boolean }): Promise<unknown> }>(
    activityOptions(sweepPolicy),
  );
  try {
    return await activities.sweep({ thorough });
  } catch (error) {
    throw isCancellation(error) ? error : toRunFailure(toStepFailure(error, sweepPolicy.summary));
  }
}

/** The first one of each hour. */
function isThorough(scheduled: number, every: number): boolean {
  return Math.floor(scheduled / thoroughEvery) !== Math.floor((scheduled - every) / thoroughEvery);
}

import { isCancellation, proxyActivities, setWorkflowOptions, workflowInfo } from "@temporalio/workflow";
import { isThorough } from "../domain/scheduling.ts";
import { toRunFailure, toStepFailure, activityOptions } from "./step-retries.ts";
import { sweepPolicy } from "./names.ts";

const scheduledTime = { name: "TemporalScheduledStartTime", type: "DATETIME" } as const;

setWorkflowOptions({ failureExceptionTypes: [Error] }, sweep);

/** A sweep, started by the Schedule every `everySeconds`; about once an hour it is a thorough one. */
export async function sweep({ everySeconds }: { readonly everySeconds: number }): Promise<unknown> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const scheduled = (typedSearchAttributes.get(scheduledTime) ?? startTime).getTime();
  const thorough = isThorough(scheduled, scheduled - everySeconds * 1000);
  const activities = proxyActivities<{ sweep(input: { thorough: boolean }): Promise<unknown> }>(
    activityOptions(sweepPolicy),
  );
  try {
    return await activities.sweep({ thorough });
  } catch (error) {
    throw isCancellation(error) ? error : toRunFailure(toStepFailure(error, sweepPolicy.summary));
  }
}

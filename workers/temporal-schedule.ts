import { ScheduleAlreadyRunning } from "@temporalio/client";
import type { Client, ScheduleOptions, ScheduleOptionsStartWorkflowAction } from "@temporalio/client";
import type { sweep } from "../workflows/index.ts";
import { sweepPolicy, taskQueue } from "../workflows/names.ts";

/** The one Schedule: the sweep does refreshes, garbage collection and restarts of stalled runs. */
export const sweepSchedule = "lectern-sweep";

/**
 * Makes the Schedule that starts a sweep at an interval, or brings it up to date; whether it is paused is left
 * as it is.
 */
export async function keepSweepSchedule(client: Client, everySeconds: number): Promise<void> {
  const options = scheduleOptions(everySeconds);
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = options;
    await client.schedule
      .getHandle(sweepSchedule)
      .update<typeof sweep>(({ state }) => ({ spec, action, state, ...(policies && { policies }) }));
  }
}

function scheduleOptions(everySeconds: number): ScheduleOptions<ScheduleOptionsStartWorkflowAction<typeof sweep>> {
  return {
    scheduleId: sweepSchedule,
    spec: { intervals: [{ every: everySeconds * 1000 }] },
    action: {
      type: "startWorkflow",
      workflowType: "sweep",
      // Temporal adds the time. No run of a library has an ID of this form, and none has a retry policy, with which a
      // Schedule can come to a standstill: https://github.com/temporalio/temporal/issues/10579
      workflowId: "sweep",
      taskQueue: taskQueue("main"),
      args: [{ everySeconds }],
      // Longer than the interval: a thorough sweep of a large deployment takes minutes. A hanging one is ended by its
      // own policy; this is for one that no worker takes.
      workflowExecutionTimeout: 2 * sweepPolicy.timeout,
      staticSummary: sweepPolicy.summary,
    },
    policies: {
      // A tick that falls into a long sweep comes right after it, so that the thorough one is never left out.
      overlap: "BUFFER_ONE",
      // Of the ticks of an outage only the latest counts.
      catchupWindow: Math.max(everySeconds * 1000, 60_000),
    },
  };
}

import type { Client } from "@temporalio/client";
import { queues } from "../domain/queues.ts";
import type { QueueState } from "../domain/telemetry.ts";
import { taskQueue } from "../workflows/names.ts";
import { sweepSchedule } from "./temporal-setup.ts";

/** Timeout of all calls together, in milliseconds. */
const callTimeout = 1500;

/** TaskQueueType, workflow and activity: https://github.com/temporalio/api/blob/master/temporal/api/enums/v1/task_queue.proto */
const kinds = [1, 2] as const;

/**
 * The workers that polled each task queue within the last five minutes, and the approximate number of tasks that wait in it.
 * @throws the client's error if Temporal is unreachable
 */
export async function readQueues(client: Client, namespace: string): Promise<readonly QueueState[]> {
  const { workflowService } = client.connection;
  return client.withDeadline(Date.now() + callTimeout, () =>
    Promise.all(
      queues.map(async (queue) => {
        const described = await Promise.all(
          kinds.map((taskQueueType) =>
            workflowService.describeTaskQueue({
              namespace,
              taskQueue: { name: taskQueue(queue) },
              taskQueueType,
              reportStats: true,
            }),
          ),
        );
        const names = described.flatMap(({ pollers }) => (pollers ?? []).map(({ identity }) => identity ?? ""));
        const waiting = described.map(({ stats }) => Number(stats?.approximateBacklogCount ?? 0));
        return { queue, workers: [...new Set(names)].toSorted(), waiting: waiting.reduce((sum, one) => sum + one, 0) };
      }),
    ),
  );
}

/** Start of the cluster's last sweep, in milliseconds since 1970; null: none yet. */
export async function readLastSweep(client: Client): Promise<number | null> {
  const { info } = await client.withDeadline(Date.now() + callTimeout, () =>
    client.schedule.getHandle(sweepSchedule).describe(),
  );
  return info.recentActions.at(-1)?.takenAt.getTime() ?? null;
}

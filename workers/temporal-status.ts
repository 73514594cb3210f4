import type { Client } from "@temporalio/client";
import { queues } from "../domain/queues.ts";
import type { Queue } from "../domain/queues.ts";
import { taskQueue } from "../workflows/names.ts";
import { sweepSchedule } from "./temporal-setup.ts";

/** What Temporal knows of a task queue. */
export interface PolledQueue {
  readonly queue: Queue;
  /** Workers that asked for a step within the last five minutes, by the names they give themselves. */
  readonly workers: readonly string[];
}

/** Timeout of all calls together, in milliseconds. */
const callTimeout = 1500;

/** The kinds of task queues, as https://github.com/temporalio/api has them: those of workflows, and those of activities. */
const kinds = [1, 2] as const;

/** Who polls which task queue. @throws what the client throws where Temporal is away */
export async function readPollers(client: Client, namespace: string): Promise<readonly PolledQueue[]> {
  const { workflowService } = client.connection;
  return client.withDeadline(Date.now() + callTimeout, () =>
    Promise.all(
      queues.map(async (queue) => {
        const described = await Promise.all(
          kinds.map((taskQueueType) =>
            workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue(queue) }, taskQueueType }),
          ),
        );
        const names = described.flatMap(({ pollers }) => (pollers ?? []).map(({ identity }) => identity ?? ""));
        return { queue, workers: [...new Set(names)].toSorted() };
      }),
    ),
  );
}

/** When the last sweep of the cluster was started, in milliseconds since 1970; null: none was yet. */
export async function readLastSweep(client: Client): Promise<number | null> {
  const { info } = await client.withDeadline(Date.now() + callTimeout, () =>
    client.schedule.getHandle(sweepSchedule).describe(),
  );
  return info.recentActions.at(-1)?.takenAt.getTime() ?? null;
}

import { setTimeout as sleep } from "node:timers/promises";
import {
  ScheduleAlreadyRunning,
  type Client,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
} from "@temporalio/client";
import { msToTs, tsToMs } from "@temporalio/common/lib/time.js";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { searchAttributes, sweepPolicy, taskQueue } from "../workflows/names.ts";
import { grpcStatus, isRefused, toEngineFailure } from "./temporal-failures.ts";
import type { sweep } from "../workflows/index.ts";

/** Options of the setup. */
export interface SetupOptions {
  readonly client: Client;
  /** Retention of workflow histories, in days. */
  readonly retentionDays: number;
  /** Seconds between two sweeps. */
  readonly sweepSeconds: number;
  readonly log: Logger;
}

const alreadyExists = 6;

/** IndexedValueType: https://github.com/temporalio/api/blob/master/temporal/api/enums/v1/common.proto */
const keyword = 2;

/** Servers see a new namespace and its attributes within seconds. This is the maximum wait, in milliseconds. */
const setupTimeout = 60_000;
const callTimeout = 10_000;

/**
 * Creates or updates the namespace, the search attributes and the Schedule of the sweep. Resolves once runs can be started.
 * Idempotent, also concurrently.
 * @throws Failure service_unavailable
 */
export async function setupTemporal({ client, retentionDays, sweepSeconds, log }: SetupOptions): Promise<void> {
  const until = Date.now() + setupTimeout;
  try {
    await untilUsable(client, until, () => keepNamespace(client, retentionDays));
    await untilUsable(client, until, () => keepSearchAttributes(client));
    await untilUsable(client, until, () => checkSearchAttributes(client));
    await untilUsable(client, until, () => keepSweepSchedule(client, sweepSeconds));
  } catch (error) {
    throw toEngineFailure(error);
  }
  log.info({ namespace: client.options.namespace, retentionDays, sweepSeconds }, "Temporal is set up");
}

async function keepNamespace({ workflowService, options }: Client, retentionDays: number): Promise<void> {
  const { namespace } = options;
  const retention = msToTs(retentionDays * 86_400_000);
  try {
    await workflowService.registerNamespace({
      namespace,
      description: "Runs of Lectern.",
      workflowExecutionRetentionPeriod: retention,
    });
  } catch (error) {
    if (grpcStatus(error) !== alreadyExists) throw error;
    const { config } = await workflowService.describeNamespace({ namespace });
    if (tsToMs(config?.workflowExecutionRetentionTtl) === tsToMs(retention)) return;
    await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } });
  }
}

async function keepSearchAttributes({ connection, options }: Client): Promise<void> {
  const { namespace } = options;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes?.[name] === undefined);
  const wrong = Object.values(searchAttributes).find(({ name }) => (customAttributes?.[name] ?? keyword) !== keyword);
  if (wrong) {
    const message = `The search attribute ${wrong.name} of namespace ${namespace} is not a Keyword. Remove it, then run lectern setup again.`;
    throw new Failure("service_unavailable", message);
  }
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, keyword])),
    });
  } catch (error) {
    if (grpcStatus(error) !== alreadyExists) throw error;
  }
}

/** Throws if the answering server does not know the attributes yet. */
async function checkSearchAttributes({ workflowService, options }: Client): Promise<void> {
  const query = Object.values(searchAttributes)
    .map(({ name }) => `${name} = "none"`)
    .join(" OR ");
  await workflowService.countWorkflowExecutions({ namespace: options.namespace, query });
}

/** Retries while the server has not seen a change yet. */
async function untilUsable(client: Client, until: number, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await client.withDeadline(Date.now() + callTimeout, work);
      return;
    } catch (error) {
      if (error instanceof Failure || isRefused(error) || Date.now() > until) throw error;
      await sleep(250);
    }
  }
}

/** ID of the only Schedule: the sweep does refreshes, garbage collection and restarts of stalled runs. */
export const sweepSchedule = "lectern-sweep";

/** Creates or updates the Schedule that starts sweeps at an interval. A paused Schedule stays paused. */
async function keepSweepSchedule(client: Client, everySeconds: number): Promise<void> {
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
      // Temporal adds the time. No run of a library has such an ID. There is no retry policy, as it can block a Schedule:
      // https://github.com/temporalio/temporal/issues/10579
      workflowId: "sweep",
      taskQueue: taskQueue("main"),
      args: [{ everySeconds }],
      // Longer than the interval: a thorough sweep of a large deployment takes minutes. The sweep's own policy ends a
      // hanging one; this ends one that no worker takes.
      workflowExecutionTimeout: 2 * sweepPolicy.timeout,
      staticSummary: sweepPolicy.summary,
    },
    policies: {
      // A tick during a long sweep follows right after it, so that the thorough one is never left out.
      overlap: "BUFFER_ONE",
      // After an outage only the latest tick counts.
      catchupWindow: Math.max(everySeconds * 1000, 60_000),
    },
  };
}

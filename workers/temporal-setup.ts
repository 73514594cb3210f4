import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import { msToTs, tsToMs } from "@temporalio/common/lib/time.js";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { searchAttributes } from "../workflows/names.ts";
import { grpcStatus, isRefused, toEngineFailure } from "./temporal-failures.ts";
import { keepSweepSchedule } from "./temporal-schedule.ts";

export interface SetupOptions {
  /** Of the namespace to be set up. */
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

/** Servers learn of a new namespace and of its attributes within seconds; this is when we stop waiting for it, in milliseconds. */
const setupTimeout = 60_000;
const callTimeout = 10_000;

/**
 * Makes the namespace, the search attributes and the Schedule of the sweep, or updates them, and resolves once runs can be
 * started. Idempotent, also concurrently.
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

/** Fails where the server that answers does not know them yet. */
async function checkSearchAttributes({ workflowService, options }: Client): Promise<void> {
  const query = Object.values(searchAttributes)
    .map(({ name }) => `${name} = "none"`)
    .join(" OR ");
  await workflowService.countWorkflowExecutions({ namespace: options.namespace, query });
}

/** Retries what fails because the server has not seen a change yet. */
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

import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import type { MeilisearchKeys } from "../search/meilisearch/setup.ts";
import { openMeilisearch } from "./stores.ts";

/**
 * Sets up the configured servers: indexes, their settings and API keys in Meilisearch; namespace, search attributes and the
 * Schedule of the sweep in Temporal. Idempotent.
 * @throws Failure search_failed, service_unavailable
 */
export async function prepareServers(config: Config, log: Logger): Promise<{ meili: MeilisearchKeys | null }> {
  const meili = await prepareMeilisearch(config);
  if (config.temporalAddress !== null) await prepareTemporal(config, log);
  return { meili };
}

/** Sets up Meilisearch and returns its keys; null if it is not configured. @throws Failure search_failed */
export async function prepareMeilisearch(config: Config): Promise<MeilisearchKeys | null> {
  const server = await openMeilisearch(config);
  if (!server) return null;
  const { setupMeilisearch } = await import("../search/meilisearch/setup.ts");
  return forOperators(() => setupMeilisearch(server));
}

/** Adds the error of the server to the message of a failure, for operators. */
async function forOperators<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure && error.cause instanceof Error)) throw error;
    throw new Failure(error.code, `${error.message} (${error.cause.message})`, { cause: error });
  }
}

/** Sets up the configured Temporal. @throws Failure service_unavailable */
export async function prepareTemporal(config: Config, log: Logger): Promise<void> {
  const [{ connectTemporal }, { setupTemporal }] = await Promise.all([
    import("../workers/temporal-connection.ts"),
    import("../workers/temporal-setup.ts"),
  ]);
  await using closing = new AsyncDisposableStack();
  const { client } = closing.adopt(connectTemporal({ env: process.env, log }), (temporal) => temporal.close());
  const { temporalRetentionDays: retentionDays, sweepSeconds } = config;
  await setupTemporal({ client, retentionDays, sweepSeconds, log });
}

/** Checks the version of Meilisearch. @throws Failure search_failed, which says what to do */
export async function checkIndex(config: Config, log: Logger): Promise<void> {
  const server = await openMeilisearch(config);
  if (!server) return;
  const { checkMeilisearch } = await import("../search/meilisearch/setup.ts");
  for (const warning of await forOperators(() => checkMeilisearch(server))) log.warn(warning);
}

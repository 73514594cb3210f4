import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { openMeilisearch } from "./stores.ts";

/** Looks whether Meilisearch is one that we can use. @throws Failure search_failed that says what to do */
export async function checkIndex(config: Config, log: Logger): Promise<void> {
  const server = await openMeilisearch(config);
  if (!server) return;
  const { checkMeilisearch } = await import("../search/meilisearch/setup.ts");
  for (const warning of await checkMeilisearch(server)) log.warn(warning);
}

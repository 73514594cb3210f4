import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Telemetry } from "../domain/telemetry.ts";
import type { FetchClient } from "../sources/lib/fetch/client.ts";
import { createUpstream } from "../sources/upstream/index.ts";
import type { OpenUpstream } from "../sources/upstream/index.ts";
import { createThreadPool } from "../sources/lib/threads/thread-pool.ts";

/** Maximum concurrent requests to the upstream, and their maximum share of the concurrent requests of this server. */
const maxAtOnce = 16;
const share = 0.25;

/** The longest timer: the thread that parses its answers is never ended. */
const forever = 2_147_483_647;

interface UpstreamPorts {
  readonly client: Pick<FetchClient, "request">;
  readonly telemetry: Pick<Telemetry, "askedUpstream">;
  readonly log: Logger;
  readonly now: () => number;
}

/** The upstream by the settings; undefined: none. Refused requests are logged, without what was asked. */
export function openUpstream(
  {
    upstreamUrl: url,
    upstreamApiKey: apiKey,
    requestsAtOnce,
  }: Pick<Config, "upstreamUrl" | "upstreamApiKey" | "requestsAtOnce">,
  { client, telemetry, log, now }: UpstreamPorts,
): (OpenUpstream & { close(): Promise<void> }) | undefined {
  if (url === null) return undefined;
  const pool = createThreadPool({ maxThreads: 1, idleTimeout: forever });
  const upstream = createUpstream({
    url,
    apiKey,
    client,
    pool,
    atOnce: Math.max(1, Math.min(maxAtOnce, Math.floor(requestsAtOnce * share))),
    now,
    onAsked({ operation, result, duration, reason }) {
      telemetry.askedUpstream(operation, result, duration);
      if (reason !== undefined)
        log.warn({ upstream: url.host, operation, result, reason }, "the upstream did not answer");
    },
  });
  return { ...upstream, close: () => pool.close() };
}

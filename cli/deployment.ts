import type { Logger } from "pino";
import { isoOrNull } from "../api/schemas/answers.ts";
import type { Deployment } from "../api/schemas/deployment.ts";
import { parseBlobUrl } from "../stores/blobs/url.ts";
import type { Config } from "./config.ts";
import { lastBackup } from "../domain/backup.ts";
import { firstExpiry } from "../domain/credentials.ts";
import type { Catalog, Indexing } from "../domain/ports.ts";
import { freeShares, type WrittenFolder } from "./disk-space.ts";
import type { Temporal } from "./temporal.ts";
import { programVersion } from "./package-info.ts";

interface DeploymentOptions {
  readonly config: Config;
  readonly catalog: Pick<Catalog, "figures" | "audit">;
  readonly engine: Pick<Indexing, "ready">;
  readonly temporal: Pick<Temporal, "connected" | "queues"> | null;
  /** When the last sweep of this process ended, in milliseconds since 1970; undefined: none yet. */
  readonly sweptAt: () => number | undefined;
  readonly sizes: () => Promise<Readonly<Record<string, number>>>;
  readonly folders: readonly WrittenFolder[];
  readonly now: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** The times of the last backup and of the first expiry of a credential, for metrics. */
export function watchedTimes(ports: Parameters<typeof firstExpiry>[0]) {
  return { backedUpAt: () => lastBackup(ports.catalog), firstExpiry: () => firstExpiry(ports) };
}

/** Describes the parts of the deployment and their state. An unreachable engine is reported, not thrown. */
export function createDeployment(options: DeploymentOptions): () => Promise<Omit<Deployment, "warnings">> {
  const { config, catalog, engine, temporal, sizes, folders, now, log } = options;
  const { blobUrl } = config;
  const startedAt = new Date(now() - process.uptime() * 1000).toISOString();

  const isReachable = (): Promise<boolean> =>
    engine.ready().then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, "the engine is unreachable");
        return false;
      },
    );

  async function describeTemporal() {
    if (temporal === null) return { sweptAt: options.sweptAt() ?? null, queues: undefined };
    const { readLastSweep } = await import("../workers/temporal-status.ts");
    const { client } = temporal.connected;
    try {
      const [queues, sweptAt] = await Promise.all([temporal.queues(), readLastSweep(client)]);
      return { sweptAt, queues: queues.map(({ workers, ...state }) => ({ ...state, workers: [...workers] })) };
    } catch (error) {
      log.warn({ err: error }, "Temporal's task queues cannot be described");
      return { sweptAt: null, queues: undefined };
    }
  }

  return async () => {
    const [figures, reachable, { sweptAt, queues }, backedUpAt, measured, freeDisk] = await Promise.all([
      catalog.figures(now()),
      isReachable(),
      describeTemporal(),
      lastBackup(catalog),
      sizes(),
      freeShares(folders),
    ]);
    const { libraries, troubles, queued, running, queuedSince, postponedHosts } = figures;
    return {
      version: programVersion,
      node: process.version,
      startedAt,
      catalog: config.databaseUrl === null ? "sqlite" : "postgresql",
      index: config.meiliUrl === null ? "sqlite" : "meilisearch",
      blobs: blobUrl !== null && parseBlobUrl(blobUrl).kind !== "folder" ? "bucket" : "folder",
      engine: {
        kind: temporal === null ? "process" : "temporal",
        isReachable: reachable,
        ...(temporal && { namespace: temporal.connected.namespace, ...webUi(config, temporal.connected.namespace) }),
        ...(queues && { queues }),
      },
      libraries,
      troubles: { ...troubles },
      runs: { queued, running, queuedSince: isoOrNull(queuedSince) },
      postponedHosts,
      sweptAt: isoOrNull(sweptAt),
      backedUpAt: isoOrNull(backedUpAt),
      sizes: { ...measured },
      storageLimit: config.storageLimit,
      freeDisk: { ...freeDisk },
    };
  };
}

/** The address of the runs in the first Web UI. */
function webUi({ temporalUiOrigins: [origin] }: Config, namespace: string): { readonly webUi?: string } {
  return origin === undefined ? {} : { webUi: `${origin}/namespaces/${encodeURIComponent(namespace)}/workflows` };
}

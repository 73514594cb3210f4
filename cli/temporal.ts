import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { DataConverter, PayloadCodec } from "@temporalio/common";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { RingKey } from "../config/formats.ts";
import type { Catalog, Indexing } from "../domain/ports.ts";
import type { TemporalActivities } from "../workers/temporal-activities.ts";
import type { TemporalClient } from "../workers/temporal-connection.ts";
import type { TemporalWorker } from "../workers/temporal-worker.ts";
import type { Execution } from "./execution.ts";

/** Temporal by the settings. */
export interface Temporal {
  readonly engine: Indexing;
  readonly connected: TemporalClient;
  /** The data converter of client, worker and bundle. */
  readonly dataConverter: DataConverter;
  /** The payload codec for the Web UI. */
  readonly codec: PayloadCodec;
  close(): Promise<void>;
}

/** Folder of bundled workflows, beside the compile cache. */
const bundleFolder = join(import.meta.dirname, "..", "node_modules", ".cache", "lectern");

/** The engine on Temporal; null without the setting. It connects on first use. */
export async function openTemporal(
  config: Config,
  { catalog, ring, log, now }: { catalog: Catalog; ring: readonly RingKey[]; log: Logger; now: () => number },
): Promise<Temporal | null> {
  if (config.temporalAddress === null) return null;
  const [{ connectTemporal }, { createTemporalEngine }, { createDataConverter, createPayloadCodec }] =
    await Promise.all([
      import("../workers/temporal-connection.ts"),
      import("../workers/temporal-engine.ts"),
      import("../workers/codec.ts"),
    ]);
  const encrypting = { encrypts: config.temporalEncryption };
  const dataConverter = createDataConverter(ring, encrypting);
  const connected = connectTemporal({ env: process.env, log, dataConverter });
  return {
    engine: createTemporalEngine({ client: connected.client, catalog, log, now }),
    connected,
    dataConverter,
    codec: createPayloadCodec(ring, encrypting),
    close: () => connected.close(),
  };
}

/** A worker of the configured task queues, which polls once it is opened. */
export function createTemporalExecution(
  config: Config,
  { dataConverter }: Temporal,
  activities: TemporalActivities,
  { endsWhenLost }: { readonly endsWhenLost: boolean },
): Execution {
  const { log } = activities;
  const converter = dataConverter ? { dataConverter } : {};
  const ended = Promise.withResolvers<void>();
  // Callers that await it see the error; without any, it was closed before it polled.
  ended.promise.catch(() => undefined);
  let worker: TemporalWorker | undefined;
  let disconnect: (() => Promise<void>) | undefined;
  return {
    async open() {
      const [{ installRuntime }, { connectTemporalWorker }, { createTemporalWorker }] = await Promise.all([
        import("../workers/temporal-runtime.ts"),
        import("../workers/temporal-connection.ts"),
        import("../workers/temporal-worker.ts"),
      ]);
      installRuntime(log, config.temporalMetricsAddress);
      const workflowBundle = await bundle(log, dataConverter);
      const { connection, namespace } = await connectTemporalWorker({ env: process.env, log });
      disconnect = () => connection.close();
      worker = await createTemporalWorker({
        ...activities,
        ...converter,
        connection,
        namespace,
        queues: config.workerQueues,
        slots: config.workerSlots,
        workflowBundle,
        shutdownGrace: config.shutdownGraceSeconds * 1000,
        ...(endsWhenLost && { lostAfter: config.workerLostSeconds * 1000 }),
      });
      worker.run().then(ended.resolve, ended.reject);
    },
    ended: ended.promise,
    working: () => worker?.ready() ?? false,
    async close() {
      if (!worker) return;
      worker.stop();
      const isLost = await ended.promise.then(
        () => false,
        (error: unknown) => {
          log.error({ err: error }, "worker failed");
          return true;
        },
      );
      // A connection in use by workers cannot be closed, which they may keep while Temporal is unavailable.
      const { stopped } = worker;
      const isFree = !isLost || (await Promise.race([stopped().then(() => true), sleep(shutdownTimeout, false)]));
      if (isFree) await disconnect?.();
    },
  };
}

/** Shutdown timeout of a worker that lost Temporal, in milliseconds. */
const shutdownTimeout = 5000;

/** Bundles the workflows unless that was done; images contain the bundle. */
export async function bundle(log: Logger, dataConverter?: DataConverter): Promise<{ codePath: string }> {
  const { bundleWorkflows } = await import("../workers/temporal-bundle.ts");
  return bundleWorkflows({ folder: bundleFolder, log, ...(dataConverter && { dataConverter }) });
}

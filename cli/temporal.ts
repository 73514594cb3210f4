import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { DataConverter, PayloadCodec } from "@temporalio/common";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { RingKey } from "./config/formats.ts";
import { isFailure } from "../domain/failures.ts";
import type { Catalog, Indexing } from "../domain/ports.ts";
import type { TemporalActivities } from "../workers/temporal-activities.ts";
import type { TemporalClient } from "../workers/temporal-connection.ts";
import type { TemporalWorker } from "../workers/temporal-worker.ts";
import type { Execution } from "./execution.ts";
import { prepareTemporal } from "./prepare.ts";

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

/** Longest pause between two attempts to reach Temporal, in milliseconds. */
const maxPause = 10_000;

/**
 * A worker of the configured task queues, which polls once it is opened and Temporal is there: `open` tries once, and goes on
 * trying in the background. `owns`: the process sets Temporal up, and outlives its loss.
 */
export function createTemporalExecution(
  config: Config,
  { connected, dataConverter }: Temporal,
  activities: TemporalActivities,
  { owns }: { readonly owns: boolean },
): Execution {
  const { log } = activities;
  const ended = Promise.withResolvers<void>();
  // Callers that await it see the error; without any, it was closed before it polled.
  ended.promise.catch(() => undefined);
  const closing = new AbortController();
  let worker: TemporalWorker | undefined;
  let disconnect: (() => Promise<void>) | undefined;
  let attempt = Promise.resolve(false);

  async function connect(): Promise<void> {
    const [{ installRuntime }, { connectTemporalWorker }, { createTemporalWorker }] = await Promise.all([
      import("../workers/temporal-worker.ts"),
      import("../workers/temporal-connection.ts"),
      import("../workers/temporal-worker.ts"),
    ]);
    const workflowBundle = await bundle(log, dataConverter);
    // Setting up would wait for a minute, and a runtime without a connection would keep the process from ending.
    await connected.check();
    if (owns) await prepareTemporal(config, log);
    installRuntime(log, config.temporalMetricsAddress);
    const { connection, namespace } = await connectTemporalWorker({ env: process.env, log });
    disconnect = () => connection.close();
    // Closing waits for this, and finds no worker then.
    closing.signal.throwIfAborted();
    worker = await createTemporalWorker({
      ...activities,
      dataConverter,
      connection,
      namespace,
      queues: config.workerQueues,
      slots: config.workerSlots,
      workflowBundle,
      shutdownGrace: config.shutdownGraceSeconds * 1000,
      ...(!owns && { lostAfter: config.workerLostSeconds * 1000 }),
    });
    worker.run().then(ended.resolve, ended.reject);
  }

  /** Whether it polls now; false where Temporal is away, which is logged. */
  async function tryToConnect(): Promise<boolean> {
    try {
      await connect();
      return true;
    } catch (error) {
      await disconnect?.();
      disconnect = undefined;
      if (!isFailure(error, "service_unavailable") || closing.signal.aborted) throw error;
      log.warn({ reason: error.message }, "Temporal is away: runs wait, and it is tried again until it is there");
      return false;
    }
  }

  async function keepTrying(): Promise<void> {
    for (let pause = 500, isConnected = false; !isConnected; pause = Math.min(2 * pause, maxPause)) {
      await sleep(pause, undefined, { signal: closing.signal });
      attempt = tryToConnect();
      isConnected = await attempt;
    }
    log.info("Temporal is there: this process executes runs");
  }

  return {
    async open() {
      attempt = tryToConnect();
      if (await attempt) return;
      void keepTrying().catch((error: unknown) => {
        if (!closing.signal.aborted) ended.reject(error);
      });
    },
    ended: ended.promise,
    working: () => worker?.ready() ?? false,
    async close() {
      closing.abort();
      const over = attempt.then(
        () => undefined,
        () => undefined,
      );
      await Promise.race([over, sleep(shutdownTimeout, undefined, { ref: false })]);
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

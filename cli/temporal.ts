import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { DataConverter } from "@temporalio/common";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { RingKey } from "./config/formats.ts";
import { isFailure } from "../domain/failures.ts";
import type { Catalog } from "../domain/ports.ts";
import type { TemporalActivities } from "../workers/temporal-activities.ts";
import type { TemporalWorker } from "../workers/temporal-worker.ts";
import { prepareTemporal } from "./server-setup.ts";

/** Temporal by the settings. */
export type Temporal = NonNullable<Awaited<ReturnType<typeof openTemporal>>>;

/** Folder of bundled workflows, next to the compile cache. */
const bundleFolder = join(import.meta.dirname, "..", "node_modules", ".cache", "lectern");

/** The engine on Temporal; null without the setting. It connects on first use. */
export async function openTemporal(
  config: Config,
  { catalog, ring, log, now }: { catalog: Catalog; ring: readonly RingKey[]; log: Logger; now: () => number },
) {
  if (config.temporalAddress === null) return null;
  const [{ connectTemporal }, { createTemporalEngine }, { createDataConverter, createPayloadCodec }, { readQueues }] =
    await Promise.all([
      import("../workers/temporal-connection.ts"),
      import("../workers/temporal-engine.ts"),
      import("../workers/codec.ts"),
      import("../workers/temporal-status.ts"),
    ]);
  const encrypting = { encrypts: config.temporalEncryption };
  const dataConverter = createDataConverter(ring, encrypting);
  const connected = connectTemporal({ env: process.env, log, dataConverter });
  return {
    engine: createTemporalEngine({ client: connected.client, catalog, log, now }),
    connected,
    /** The data converter of client, worker and bundle. */
    dataConverter,
    /** The payload codec for the Web UI. */
    codec: createPayloadCodec(ring, encrypting),
    /** The state of the task queues. @throws the client's error if Temporal is unreachable */
    queues: () => readQueues(connected.client, connected.namespace),
    close: () => connected.close(),
  };
}

/** Longest pause between two attempts to reach Temporal, in milliseconds. */
const maxPause = 10_000;

/**
 * A worker of the configured task queues. `open` tries to connect once, then keeps trying in the background. `owns`: the process sets
 * Temporal up, and survives its loss.
 */
export function createTemporalExecution(
  config: Config,
  { connected, dataConverter }: Temporal,
  activities: TemporalActivities,
  owns: boolean,
) {
  const { log } = activities;
  const ended = Promise.withResolvers<void>();
  // Prevents an unhandled rejection if it is closed before anybody awaits it.
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
    // Checked first: setting up would wait for a minute, and a runtime without a connection would keep the process alive.
    await connected.check();
    if (owns) await prepareTemporal(config, log);
    installRuntime(log, config.temporalMetricsAddress);
    const { connection, namespace } = await connectTemporalWorker({ env: process.env, log });
    disconnect = () => connection.close();
    // `close` waits for this, and then finds no worker.
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

  /** Whether it polls now; false, with a log message, if Temporal is unreachable. */
  async function tryToConnect(): Promise<boolean> {
    try {
      await connect();
      return true;
    } catch (error) {
      await disconnect?.();
      disconnect = undefined;
      if (!isFailure(error, "service_unavailable") || closing.signal.aborted) throw error;
      log.warn({ reason: error.message }, "Temporal is unreachable: runs wait until it can be reached");
      return false;
    }
  }

  async function keepTrying(): Promise<void> {
    for (let pause = 500, isConnected = false; !isConnected; pause = Math.min(2 * pause, maxPause)) {
      await sleep(pause, undefined, { signal: closing.signal });
      attempt = tryToConnect();
      isConnected = await attempt;
    }
    log.info("Temporal is reachable: this process executes runs");
  }

  return {
    async open(): Promise<void> {
      attempt = tryToConnect();
      if (await attempt) return;
      void keepTrying().catch((error: unknown) => {
        if (!closing.signal.aborted) ended.reject(error);
      });
    },
    ended: ended.promise,
    working: () => worker?.ready() ?? false,
    async close(): Promise<void> {
      closing.abort();
      const settled = attempt.catch(() => undefined);
      await Promise.race([settled, sleep(shutdownTimeout, undefined, { ref: false })]);
      if (!worker) return;
      worker.stop();
      const isLost = await ended.promise.then(
        () => false,
        (error: unknown) => {
          log.error({ err: error }, "worker failed");
          return true;
        },
      );
      // A connection cannot be closed while workers use it, which may last as long as Temporal is unreachable.
      const { stopped } = worker;
      const isFree = !isLost || (await Promise.race([stopped().then(() => true), sleep(shutdownTimeout, false)]));
      if (isFree) await disconnect?.();
    },
  };
}

/** Shutdown timeout of a worker that lost Temporal, in milliseconds. */
const shutdownTimeout = 5000;

/** Bundles the workflows unless a bundle exists, as in images. */
export async function bundle(log: Logger, dataConverter?: DataConverter): Promise<{ codePath: string }> {
  const { bundleWorkflows } = await import("../workers/temporal-bundle.ts");
  return bundleWorkflows({ folder: bundleFolder, log, ...(dataConverter && { dataConverter }) });
}

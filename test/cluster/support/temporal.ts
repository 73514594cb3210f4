import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import { NativeConnection } from "@temporalio/worker";
import { pino, type Logger } from "pino";
import { openSqliteCatalog } from "../../../stores/catalog/sqlite.ts";
import type { Catalog, Indexing } from "../../../domain/ports.ts";
import { queues, type Queue } from "../../../domain/queues.ts";
import type { StepName } from "../../../domain/steps.ts";
import { bundleWorkflows } from "../../../workers/temporal-bundle.ts";
import { createTemporalEngine } from "../../../workers/temporal-engine.ts";
import { installRuntime, createTemporalWorker, type TemporalWorkerOptions } from "../../../workers/temporal-worker.ts";
import { setupTemporal } from "../../../workers/temporal-setup.ts";
import { scriptedActivities, type Script } from "../../contracts/indexing-scripts.ts";
import { temporaryFolder } from "../../support/lectern-process.ts";

/** A namespace of the test's own with a catalog and an engine, and workers to be started in it. */
export interface TemporalRig {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  readonly native: NativeConnection;
  readonly catalog: Catalog;
  readonly catalogFile: string;
  readonly engine: Indexing;
  /** Made once. */
  readonly bundle: { readonly codePath: string };
  /** Starts a worker in this process; the answer stops it and waits. */
  work(script: Script, options?: WorkOptions): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface WorkOptions extends Partial<Omit<TemporalWorkerOptions, "activities" | "catalog" | "workflowBundle">> {
  readonly told?: (name: StepName, libraryId: string) => void;
}

const slots: Readonly<Record<Queue, number>> = { main: 50, git: 50, crawl: 50, browser: 1, load: 50 };
const silent: Logger = pino({ level: "silent" });

/** Names and paths of this machine are not to stand in recorded histories. */
const identity = "lectern-worker";

export async function openTemporalRig(
  address: string,
  { sweepSeconds = 3600, dataConverter }: { sweepSeconds?: number; dataConverter?: DataConverter } = {},
): Promise<TemporalRig> {
  const folder = await temporaryFolder();
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const connection = await Connection.connect({ address, interceptors: [] });
  const converting = dataConverter && { dataConverter };
  const client = new Client({ connection, namespace, identity: "lectern", ...converting });
  await setupTemporal({ client, retentionDays: 1, sweepSeconds, log: silent });
  installRuntime(silent);
  const native = await NativeConnection.connect({ address });
  const catalogFile = join(folder.path, "catalog.sqlite");
  const catalog = await openSqliteCatalog({ file: catalogFile });
  const bundle = await bundleWorkflows({ folder: join(folder.path, "bundle"), log: silent, ...converting });
  const stops = new Set<() => Promise<void>>();
  return {
    address,
    namespace,
    client,
    native,
    catalog,
    catalogFile,
    engine: createTemporalEngine({ client, catalog, log: silent, now: Date.now }),
    bundle,
    async work(script, { told, ...options } = {}) {
      const worker = await createTemporalWorker({
        connection: native,
        namespace,
        queues,
        slots,
        identity,
        catalog,
        activities: scriptedActivities(catalog, script, told),
        sweep: async () => ({}),
        workflowBundle: bundle,
        shutdownGrace: 1000,
        log: silent,
        now: Date.now,
        ...converting,
        ...options,
      });
      const running = worker.run();
      const stop = async (): Promise<void> => {
        stops.delete(stop);
        worker.stop();
        await running;
      };
      stops.add(stop);
      return stop;
    },
    async close() {
      await Promise.all([...stops].map((stop) => stop()));
      await native.close();
      await connection.close();
      await catalog.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../domain/failures.ts";
import { startMeilisearch } from "./meilisearch.ts";
import { endLeftOverPrograms } from "./left-over.ts";
import { ensureDatabase, startPostgres } from "./postgres.ts";
import { isReachable, freePort, startProgram, type Program } from "./program.ts";
import { sharedSettings } from "./settings.ts";
import { startTemporal } from "./temporal.ts";

/** A server or process of a cluster, which can be restarted at the same address. */
export interface Part {
  readonly name: string;
  /** Its address. */
  readonly url: string;
  /** Its process; undefined while it does not run. */
  readonly pid: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
}

/** Options of `startLocalCluster`. */
export interface LocalClusterOptions {
  /** Folder for data, secrets and logs; created if missing. */
  readonly folder: string;
  /** Settings of existing servers; the others are started. */
  readonly env?: Readonly<Record<string, string>>;
  /** Port of each API process; 0 is any free one. */
  readonly apiPorts: readonly number[];
  /** Settings of each worker, such as its queues. */
  readonly workers: readonly Readonly<Record<string, string>>[];
  /** Port of the Web UI of a Temporal that is started here, 0 for any free one; false: none. */
  readonly ui: number | false;
  /** False: no syncs to the disk. */
  readonly durable?: boolean;
}

/** A running cluster on this machine. */
export interface LocalCluster {
  /** Settings of all its processes, with which other commands can reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** The admin key of its processes. */
  readonly adminKey: string;
  /** Servers that were started here, by name: postgres, temporal, meilisearch. */
  readonly servers: Readonly<Record<string, Part>>;
  readonly apis: readonly Part[];
  readonly workers: readonly Part[];
  /** Temporal's Web UI; null if it was not started here. */
  readonly ui: string | null;
  /** Stops processes first, servers last. */
  stop(): Promise<void>;
  /** Kills all of them at once. */
  kill(): void;
}

const run = promisify(execFile);
const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/**
 * If this process is root, lets other users pass through a folder: PostgreSQL then runs as another user, who has to reach its folder in it.
 * Other permissions of the folder do not change.
 */
export async function letOthersPass(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o7777) | 0o011);
}

/**
 * Starts and sets up servers, then starts the processes. Programs that an earlier cluster in the folder left running are ended first.
 * @throws Failure service_unavailable; all started programs are stopped
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { folder, apiPorts, workers: workerSettings, ui, durable = true } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await letOthersPass(folder);
  await endLeftOverPrograms(folder);
  const { env, adminKey, secrets } = await sharedSettings(folder, options.env ?? {});
  const parts: Part[] = [];
  const keep = (part: Part): Part => {
    parts.push(part);
    return part;
  };
  const stop = async (): Promise<void> => {
    const servers = parts.filter(({ name }) => name in serverNames);
    const processes = parts.filter(({ name }) => !(name in serverNames));
    await Promise.all(processes.map((part) => part.stop()));
    await Promise.all(servers.map((part) => part.stop()));
  };
  const kill = (): void => void Promise.all(parts.map((part) => part.kill()));
  try {
    const servers: Record<string, Part> = {};
    let uiUrl: string | null = null;

    const postgres = async (): Promise<void> => {
      if (env["DATABASE_URL"] !== undefined) return;
      const port = await freePort();
      const options = { folder: join(folder, "postgres"), port, password: secrets.postgres, durable };
      let url = "";
      const launch = async (): Promise<Program> => {
        const started = await startPostgres(options);
        ({ url } = started);
        return started;
      };
      servers["postgres"] = keep(await startPart("postgres", `127.0.0.1:${port}`, launch));
      env["DATABASE_URL"] = await ensureDatabase(url, "lectern");
    };
    const meilisearch = async (): Promise<void> => {
      if (env["MEILI_URL"] !== undefined) return;
      const port = await freePort();
      const launch = (): Promise<Program> =>
        startMeilisearch({ folder: join(folder, "meilisearch"), port, key: secrets.meilisearch });
      const url = `http://127.0.0.1:${port}`;
      servers["meilisearch"] = keep(await startPart("meilisearch", url, launch));
      env["MEILI_URL"] = url;
      env["MEILI_API_KEY"] = secrets.meilisearch;
    };
    const temporal = async (): Promise<void> => {
      if (env["TEMPORAL_ADDRESS"] !== undefined) return;
      const port = await freePort();
      const uiPort = ui === 0 ? await freePort() : ui;
      const launch = (): Promise<Program> => startTemporal({ folder: join(folder, "temporal"), port, ui: uiPort });
      const address = `127.0.0.1:${port}`;
      servers["temporal"] = keep(await startPart("temporal", address, launch));
      env["TEMPORAL_ADDRESS"] = address;
      if (uiPort !== false) uiUrl = `http://127.0.0.1:${uiPort}`;
    };
    await settle([postgres(), meilisearch(), temporal()]);

    const keys = join(folder, "keys");
    await mkdir(keys, { recursive: true, mode: 0o700 });
    await runOnce(["setup", "--keys", keys], { ...env, DATA_DIR: join(folder, "setup") });
    const meiliKey = async (role: string): Promise<string> =>
      (await readFile(join(keys, `meili-${role}.key`), "utf8")).trim();
    const own: Record<"api" | "worker", Record<string, string>> = {
      api: { ...env, MEILI_API_KEY: await meiliKey("api") },
      worker: { ...env, MEILI_API_KEY: await meiliKey("worker") },
    };

    const startProcess = async (
      role: "api" | "worker",
      at: number,
      settings: Record<string, string>,
    ): Promise<Part> => {
      const name = `${role}-${at + 1}`;
      const portSetting = role === "api" ? "PORT" : "WORKER_PORT";
      const port = Number(settings[portSetting]) || (await freePort());
      const url = `http://127.0.0.1:${port}`;
      const launch = (): Promise<Program> =>
        startProgram({
          command: process.execPath,
          args: [program, role],
          env: { ...own[role], DATA_DIR: join(folder, name), ...settings, [portSetting]: String(port) },
          log: join(folder, `${name}.log`),
          ready: () => isReachable(`${url}/api/health`),
        });
      return keep(await startPart(name, url, launch));
    };
    const [apis, workers] = await settle([
      settle(apiPorts.map((port, at) => startProcess("api", at, { PORT: String(port) }))),
      settle(workerSettings.map((settings, at) => startProcess("worker", at, { ...settings }))),
    ]);
    return { env, adminKey, servers, apis: apis ?? [], workers: workers ?? [], ui: uiUrl, stop, kill };
  } catch (error) {
    await stop();
    throw error;
  }
}

const serverNames = { postgres: true, temporal: true, meilisearch: true } as const;

/** Waits until all are settled before it throws the first error, so that nothing starts after it. */
async function settle<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function startPart(name: string, url: string, launch: () => Promise<Program>): Promise<Part> {
  let running: Program | undefined = await launch();
  let ending: Program | undefined;
  const end = async (how: "stop" | "kill"): Promise<void> => {
    // A program that is stopping can still be killed.
    ending = running ?? ending;
    running = undefined;
    await ending?.[how]();
  };
  return {
    name,
    url,
    get pid() {
      return running?.pid;
    },
    async start() {
      running ??= await launch();
    },
    stop: () => end("stop"),
    kill: () => end("kill"),
  };
}

/** Runs a command of Lectern to its end. @throws Failure service_unavailable with its error output */
async function runOnce(args: readonly string[], env: Record<string, string>): Promise<void> {
  try {
    await run(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
  } catch (error) {
    const reason = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new Failure("service_unavailable", `lectern ${args.join(" ")} failed: ${reason}`);
  }
}

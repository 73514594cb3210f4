import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../domain/failures.ts";
import { findProgram, freePort, startProgram, type Program } from "./program.ts";

const run = promisify(execFile);

/** Debian's folders of the server's programs, one for each version and not on the PATH. */
const debianFolders = "/usr/lib/postgresql/*/bin";

/** A started PostgreSQL server. */
export interface Postgres extends Program {
  /** Address of the database `postgres` for the superuser. */
  readonly url: string;
}

/** Whether PostgreSQL is installed on this machine. */
export function hasPostgres(): boolean {
  return findPostgres("postgres") !== undefined;
}

/**
 * Starts PostgreSQL on loopback with its data in a folder, which is created if missing. `durable: false` turns off syncs to the disk. Started
 * by root, it runs as the user `postgres`, as it refuses to run as root.
 * @throws Failure service_unavailable
 */
export async function startPostgres(options: {
  readonly folder: string;
  readonly port?: number;
  readonly password: string;
  readonly durable?: boolean;
}): Promise<Postgres> {
  const { folder, password, durable = true } = options;
  const command = findPostgres("postgres");
  const initdb = findPostgres("initdb");
  if (command === undefined || initdb === undefined)
    throw new Failure("service_unavailable", "PostgreSQL is not installed. Install it, or set DATABASE_URL.");
  const user = process.getuid?.() === 0 ? postgresUser() : undefined;
  const port = options.port ?? (await freePort());
  const data = join(folder, "data");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user) await chown(folder, user.uid, user.gid);
  if (!existsSync(join(data, "PG_VERSION"))) {
    const file = join(folder, "password");
    await writeFile(file, password, { mode: 0o600 });
    if (user) await chown(file, user.uid, user.gid);
    try {
      const options = "-U lectern -A scram-sha-256 -E UTF8 --no-locale".split(" ");
      const args = ["-D", data, `--pwfile=${file}`, ...options];
      await run(initdb, durable ? args : [...args, "--no-sync"], { ...user, cwd: "/" });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const hint = user ? ` As root it runs as the user "postgres", who must be able to reach ${folder}.` : "";
      throw new Failure("service_unavailable", `PostgreSQL could not be set up in ${folder}: ${reason}.${hint}`);
    } finally {
      await rm(file, { force: true });
    }
  }
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
  // Not synchronous_commit: without it a killed server loses confirmed commits.
  if (!durable) settings.push("fsync=off", "full_page_writes=off");
  const program = await startProgram({
    command,
    args: ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    log: join(folder, "postgres.log"),
    // The fast shutdown, which does not wait for connections.
    stopSignal: "SIGINT",
    ...(user && { user }),
    ready: () => answers(port, password),
  });
  return { ...program, url: `postgres://lectern:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres` };
}

/** Creates a database if it is missing. Returns its address. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const { Client } = await import("pg").then((module) => module.default);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

async function answers(port: number, password: string): Promise<boolean> {
  const { Client } = await import("pg").then((module) => module.default);
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: "lectern",
    password,
    database: "postgres",
    connectionTimeoutMillis: 1000,
  });
  // A connection that is lost later does not matter.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Path of a program of PostgreSQL, of the newest version. */
function findPostgres(name: string): string | undefined {
  const folders = globSync(debianFolders).toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return findProgram(name, folders);
}

function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string): number => {
    try {
      return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    } catch {
      throw new Failure(
        "service_unavailable",
        'PostgreSQL refuses to run as root, and there is no user "postgres". Run this as another user, or set DATABASE_URL.',
      );
    }
  };
  return { uid: id("-u"), gid: id("-g") };
}

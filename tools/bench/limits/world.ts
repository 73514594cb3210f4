import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeKey } from "../../../api/keys.ts";
import { openPostgres } from "../../../stores/catalog/postgres.ts";
import { openSqlite } from "../../../stores/catalog/sqlite.ts";
import { startGitServer } from "../../../test/support/git-server.ts";
import { startLectern } from "../../../test/support/lectern-process.ts";
import { createWriter, repositoryFiles } from "../corpus.ts";

/** The library that is asked, and questions to it. */
const libraryId = "/bench/limits";
const questions = ((writer) => Array.from({ length: 500 }, (_, at) => writer.question(4 + (at % 8))))(createWriter(99));

/** The path of a question, by its number. */
export function questionPath(at: number): string {
  const query = questions[at % questions.length] ?? "";
  return `/api/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`;
}

/** Where a catalog is: in a data folder, or in a database of PostgreSQL. */
export interface Place {
  readonly folder: string;
  readonly databaseUrl?: string;
}

/** Indexes a library of `documents` pages, and adds API keys with the scope `read`. */
export async function prepareWorld(
  place: Place,
  { documents, keys }: { readonly documents: number; readonly keys: number },
): Promise<readonly string[]> {
  const git = await startGitServer();
  const repository = await git.repository("bench/limits.git", repositoryFiles(3, { documents, sources: 0 }));
  const server = await startLectern(place.folder, {
    ...envOf(place),
    FETCH_ALLOW: new URL(repository.url).host,
  });
  try {
    await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName: libraryId });
    await server.settled(libraryId);
  } finally {
    await server.kill("SIGTERM");
    await git.close();
  }
  const { databaseUrl } = place;
  const db =
    databaseUrl === undefined
      ? await openSqlite(join(place.folder, "catalog.sqlite"))
      : openPostgres({ url: databaseUrl });
  const made = Array.from({ length: keys }, makeKey);
  const rows = made.map(({ hash, hint }, at) => ({
    id: `bench-${at}`,
    teamspace: "default",
    name: `bench ${at}`,
    hash,
    hint,
    scopes_json: '["read"]',
    libraries_json: "[]",
    created_at: 0,
    expires_at: null,
    revoked_at: null,
  }));
  for (let at = 0; at < rows.length; at += 1000)
    await db
      .insertInto("keys")
      .values(rows.slice(at, at + 1000))
      .execute();
  await db.destroy();
  return made.map(({ key }) => key);
}

/** An API process of the benchmark: its address, and that of the same without what is measured. */
export interface LimitsServer extends AsyncDisposable {
  readonly full: string;
  readonly bare: string;
  readonly pid: number;
}

/** Starts `server.ts` over a place. */
export async function startLimitsServer(place: Place, env: Record<string, string> = {}): Promise<LimitsServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts")], {
    env: {
      ...process.env,
      ...envOf(place),
      DATA_DIR: place.folder,
      RATE_LIMIT_READS: "1000000",
      RATE_LIMIT_ANONYMOUS: "1000000",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error("The server ended."))),
  ])) as [string];
  const urls = JSON.parse(line) as { full: string; bare: string };
  return {
    ...urls,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function envOf({ databaseUrl }: Place): Record<string, string> {
  return {
    LOG_LEVEL: "error",
    SWEEP_SECONDS: "3600",
    ENCRYPTION_KEYS: "00".repeat(32),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
}

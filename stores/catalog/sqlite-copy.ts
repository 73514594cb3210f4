import { open, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DEFAULT_MIGRATION_TABLE } from "kysely/migration";
import { syncFolder } from "../blobs/durable-files.ts";
import { Failure } from "../../domain/failures.ts";

/** Path of the copy that is made before a migration, next to the catalog. Each upgrade replaces it. */
function copyPathOf(file: string): string {
  const ending = extname(file);
  return join(dirname(file), `${basename(file, ending)}.before-upgrade${ending}`);
}

/**
 * Copies the catalog atomically before a migration, replacing the copy of the last upgrade. If another process has applied the `due`
 * migrations meanwhile, the copy of that process stays.
 * @returns the path of the copy; undefined if no copy was needed any more
 * @throws Failure service_unavailable if the disk has no room for the copy and the migration
 */
export async function copyCatalog(file: string, due: readonly string[]): Promise<string | undefined> {
  const copy = copyPathOf(file);
  const temporary = `${copy}.tmp`;
  // Left by a process that was killed.
  await rm(temporary, { force: true });
  await requireRoom(file);
  try {
    // SQLite would create the file readable for all; it accepts an empty one.
    await (await open(temporary, "wx", 0o600)).close();
    reading(file, (database) => database.prepare("vacuum into ?").run(temporary));
    const applied = reading(temporary, (database) =>
      database
        .prepare(`select name from ${DEFAULT_MIGRATION_TABLE}`)
        .all()
        .map(({ name }) => name),
    );
    if (due.every((name) => applied.includes(name))) return undefined;
    await syncFolder(temporary);
    await rename(temporary, copy);
    await syncFolder(dirname(copy));
    return copy;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** SQLite's description of damage in the file; undefined: intact. Reads the whole file. */
export function damageOf(file: string): string | undefined {
  return reading(file, (database) => {
    const result = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
    return result === "ok" ? undefined : String(result);
  });
}

async function requireRoom(file: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(dirname(file))]);
  const free = bavail * bsize;
  if (free >= 2 * size) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  const message = `This version copies ${file} before it changes it, which takes ${megabytes(2 * size)} of free disk space; ${megabytes(free)} are free. Free some, then start again.`;
  throw new Failure("service_unavailable", message);
}

function reading<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

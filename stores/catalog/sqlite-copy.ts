import { open, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DEFAULT_MIGRATION_TABLE } from "kysely/migration";
import { syncFolder } from "../blobs/durable-files.ts";
import { Failure } from "../../domain/failures.ts";

/** Where the copy of a catalog lies that is made before a migration: beside it, one for all migrations. */
function copyPathOf(file: string): string {
  const ending = extname(file);
  return join(dirname(file), `${basename(file, ending)}.before-upgrade${ending}`);
}

/**
 * Copies the catalog before it is migrated, in place of the copy from before the last upgrade. It appears whole or not at all. `due` are
 * the migrations that it does not have; where another program has made them meanwhile, the copy of that one stays.
 * @returns where it is; undefined where there is nothing to copy any more
 * @throws Failure service_unavailable where the disk has no room for the copy and what the migration itself takes
 */
export async function copyCatalog(file: string, due: readonly string[]): Promise<string | undefined> {
  const copy = copyPathOf(file);
  const temporary = `${copy}.tmp`;
  // Of a program that was killed over it.
  await rm(temporary, { force: true });
  await requireRoom(file);
  try {
    // SQLite takes an empty file for a new one, and would make it readable for all.
    await (await open(temporary, "wx", 0o600)).close();
    reading(file, (database) => database.prepare("vacuum into ?").run(temporary));
    const made = reading(temporary, (database) =>
      database
        .prepare(`select name from ${DEFAULT_MIGRATION_TABLE}`)
        .all()
        .map(({ name }) => name),
    );
    if (due.every((name) => made.includes(name))) return undefined;
    await syncFolder(temporary);
    await rename(temporary, copy);
    await syncFolder(dirname(copy));
    return copy;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What is wrong with the file's pages, in SQLite's words; undefined where they are in order. All of it is read. */
export function damageOf(file: string): string | undefined {
  return reading(file, (database) => {
    const found = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
    return found === "ok" ? undefined : String(found);
  });
}

async function requireRoom(file: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(dirname(file))]);
  const free = bavail * bsize;
  if (free >= 2 * size) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  const message = `${file} is copied before this version changes it, which takes ${megabytes(2 * size)} of free disk space, and there are ${megabytes(free)}. Free some, then start again.`;
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

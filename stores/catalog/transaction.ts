import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

// Transactions of PostgreSQL are concurrent: each locks what its decisions depend on, always in this lock order:
// teamspace, library, version, then the version's runs and generations; keys and credentials are locked last. Whoever changes a version, or which runs and generations
// it has, holds its row. SQLite has one writer, and its dialect leaves row locks out.

/** The text of `mayBeLost`. */
export const mayBeLostMark = "/* may be lost */";

/**
 * Stands at the end of a statement whose effect may be lost when the machine goes down, but not when the process does:
 * how far a run is, and what it does again otherwise. SQLite then skips the fsync, which takes longer than all else; the next
 * fsynced commit brings it to disk too. For PostgreSQL it is a comment.
 */
export const mayBeLost = sql.raw(mayBeLostMark);

/** Maximum of attempts of a transaction that conflicts with another one. */
const maxAttempts = 5;

/** Maximum backoff of the first retry, in milliseconds. */
const maxFirstBackoff = 20;

/** The SQLSTATE that one of several transactions ends with, for it to be repeated: serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** The SQLSTATE unique_violation: run again, a transaction sees the row that another one has just added. */
const uniqueViolation = "23505";

/** Maximum of attempts in all: each that finds a connection's plans out of date ends that connection, and a pool has at most as many. */
const maxOutdated = 100;

/**
 * Runs work in a transaction; one that the database ended in favour of another, or that came second with what may be
 * there once, is run again as a whole, some times at most. So is one on a connection that knows tables as they were before a migration.
 */
export async function transact<T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1, outdated = 0; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (isOutdated(error) && outdated < maxOutdated) {
        outdated += 1;
        attempt -= 1;
        continue;
      }
      const mayPass =
        isConflict(error) || (error instanceof Error && "code" in error && error.code === uniqueViolation);
      if (!mayPass || attempt === maxAttempts) throw error;
      await sleep(Math.random() * maxFirstBackoff * 2 ** (attempt - 1));
    }
  }
}

/** Keeps a teamspace from being removed until the transaction ends; false where there is none. */
export async function holdTeamspace(trx: Transaction<Schema>, id: string): Promise<boolean> {
  const row = await trx.selectFrom("teamspaces").select("id").where("id", "=", id).forShare().executeTakeFirst();
  return row !== undefined;
}

/** Locks a library until the transaction ends, and answers its row; undefined where it is gone. */
export async function lockLibrary(trx: Transaction<Schema>, uid: string) {
  return trx.selectFrom("libraries").selectAll().where("uid", "=", uid).forUpdate().executeTakeFirst();
}

/** Locks a version until the transaction ends, and answers its row; undefined where it is gone. */
export async function lockVersion(trx: Transaction<Schema>, uid: string, version: string) {
  return trx
    .selectFrom("versions")
    .select(["live_generation", "open_run"])
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .forUpdate()
    .executeTakeFirst();
}

/** True for an error, or the Failure made of one, by which PostgreSQL ends a statement in favour of another's. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && conflicts.has(error.code)) || isConflict(error.cause);
}

/** True for an error, or the Failure made of one, of a prepared statement that does not fit any more: its tables have other columns, or a pooler changed the connection. */
export function isOutdated(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "26000" || (code === "0A000" && error.message.includes("cached plan")) || isOutdated(error.cause);
}

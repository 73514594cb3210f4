import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely, type Transaction } from "kysely";
import { codeOf } from "../blobs/durable-files.ts";
import type { Schema } from "./schema.ts";

// PostgreSQL runs transactions concurrently, so each locks the rows that its decisions depend on, always in this order: teamspace, library,
// version, the version's runs and generations, then keys and credentials. Changing a version, or its set of runs and generations, requires
// the lock on its row. SQLite has one writer, and its dialect omits row locks.

/** The text of `unsyncedCommit`. */
export const mayBeLostMark = "/* may be lost */";

/**
 * The end of a statement whose effect may be lost if the machine goes down, but not if the process does, such as the progress of a run.
 * SQLite then skips the fsync, which takes longer than everything else; the next fsynced commit writes it too. PostgreSQL ignores it, as
 * it is a comment.
 */
export const unsyncedCommit = sql.raw(mayBeLostMark);

/** Maximum attempts of a transaction that conflicts with others. */
const maxAttempts = 5;

/** Maximum backoff of the first retry, in milliseconds. */
const maxFirstBackoff = 20;

/** SQLSTATE codes of transactions that should be repeated: serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** SQLSTATE unique_violation: repeated, the transaction sees the row that another one has just added. */
const uniqueViolation = "23505";

/** Maximum attempts with outdated plans. Each ends its connection, so the size of the pool limits them. */
const maxOutdated = 100;

/**
 * Runs work in a transaction. It is repeated as a whole, a limited number of times, after a conflict, after a unique violation, and on a
 * connection with plans from before a migration.
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
      const mayPass = isConflict(error) || codeOf(error) === uniqueViolation;
      if (!mayPass || attempt === maxAttempts) throw error;
      await sleep(Math.random() * maxFirstBackoff * 2 ** (attempt - 1));
    }
  }
}

/** Locks a teamspace against removal until the transaction ends; false if there is none. */
export async function holdTeamspace(trx: Transaction<Schema>, id: string): Promise<boolean> {
  const row = await trx.selectFrom("teamspaces").select("id").where("id", "=", id).forShare().executeTakeFirst();
  return row !== undefined;
}

/** Locks a library until the transaction ends, and returns its row; undefined if there is none. */
export async function lockLibrary(trx: Transaction<Schema>, uid: string) {
  return trx.selectFrom("libraries").selectAll().where("uid", "=", uid).forUpdate().executeTakeFirst();
}

/** Locks a version until the transaction ends, and returns its row; undefined if there is none. */
export async function lockVersion(trx: Transaction<Schema>, uid: string, version: string) {
  return trx
    .selectFrom("versions")
    .select(["live_generation", "open_run"])
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .forUpdate()
    .executeTakeFirst();
}

/** Whether an error, or the cause of a Failure, is PostgreSQL's for a conflict between transactions. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return conflicts.has(codeOf(error)) || isConflict(error.cause);
}

/** Whether an error, or the cause of a Failure, is of an outdated prepared statement: its tables or its connection changed. */
export function isOutdated(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === "26000" || (code === "0A000" && error.message.includes("cached plan")) || isOutdated(error.cause);
}

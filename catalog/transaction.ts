import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

// Transactions of PostgreSQL run side by side, so what one decides by it locks first, always in this order:
// library, version, then the version's runs and generations. Whoever changes a version, or which runs and generations
// it has, holds its row. SQLite has one writer, and its dialect leaves row locks out.

/** The text of `mayBeLost`. */
export const mayBeLostMark = "/* may be lost */";

/**
 * Stands at the end of a statement whose effect may be lost when the machine goes down, but not when the process does:
 * how far a run is, and what it does again otherwise. SQLite then does not wait for the disk, which takes longer than all
 * else; whatever is committed behind it brings it to disk too. For PostgreSQL it is a comment.
 */
export const mayBeLost = sql.raw(mayBeLostMark);

/** How often a transaction is tried that the database ended because of another one. */
const attemptsAtMost = 5;

/** How long the first repeat waits at most, in milliseconds. */
const firstPause = 20;

/** The SQLSTATE that one of several transactions ends with, for it to be repeated: serialization_failure, deadlock_detected. */
const conflicts: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** The SQLSTATE unique_violation: run again, a transaction sees the row that another one has just added. */
const alreadyThere = "23505";

/**
 * Runs work in a transaction; one that the database ended in favour of another, or that came second with what may be
 * there once, is run again as a whole, some times at most.
 */
export async function transact<T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const mayPass = isConflict(error) || (error instanceof Error && "code" in error && error.code === alreadyThere);
      if (!mayPass || attempt === attemptsAtMost) throw error;
      await sleep(Math.random() * firstPause * 2 ** (attempt - 1));
    }
  }
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

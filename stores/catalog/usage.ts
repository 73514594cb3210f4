import { sql, type Kysely, type Transaction } from "kysely";
import type { LibraryStore, Miss, ReadCount } from "../../domain/ports.ts";
import { dayOf } from "../../domain/days.ts";
import { toLibrary, toRecord } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** Reads of libraries, and the refreshes and retries that are due. */
export type Usage = Pick<LibraryStore, "countReads" | "readsSince" | "setRefreshAt" | "dueRefreshes" | "dueRetries">;

/** Retention of reads in days: longer than the longest refresh interval. */
const daysKept = 60;

/** Maximum misses kept per library. */
const missesKept = 100;

/** Maximum rows of one statement, as databases limit its parameters. */
const batchSize = 500;

const dayLength = 24 * 60 * 60_000;

/** Builds the part of the library store with reads, and with refreshes and retries that are due. */
export function createUsage(db: Kysely<Schema>): Usage {
  return {
    async countReads(reads, now) {
      const firstKept = dayOf(now - daysKept * dayLength);
      const summed = sumReads(reads.filter(({ day }) => day >= firstKept));
      await transact(db, async (trx) => {
        for (let first = 0; first < summed.length; first += batchSize)
          await addReads(trx, summed.slice(first, first + batchSize));
        await markRead(trx, reads, now);
        await trx.deleteFrom("reads").where("day", "<", firstKept).execute();
      });
    },

    async readsSince(uid, day) {
      const { total } = await db
        .selectFrom("reads")
        .select(sql<number>`cast(coalesce(sum(reads), 0) as bigint)`.as("total"))
        .where("library_uid", "=", uid)
        .where("day", ">=", day)
        .executeTakeFirstOrThrow();
      return total;
    },

    async setRefreshAt(uid, version, refreshAt) {
      await transact(db, async (trx) => {
        // Locked, so that nobody makes it redirect until this is written.
        const library = await trx
          .selectFrom("libraries")
          .select("redirect")
          .where("uid", "=", uid)
          .forKeyShare()
          .executeTakeFirst();
        if (library === undefined || (library.redirect !== null && refreshAt !== null)) return;
        await trx
          .updateTable("versions")
          .set({ refresh_at: refreshAt })
          .where("library_uid", "=", uid)
          .where("version", "=", version)
          .execute();
      });
    },

    async dueRefreshes(now, limit) {
      const rows = await db
        .selectFrom("versions")
        .innerJoin("libraries", "libraries.uid", "versions.library_uid")
        .innerJoin("generations", "generations.id", "versions.live_generation")
        .selectAll("libraries")
        .select(["versions.version", "generations.damage", sql<number>`versions.refresh_at`.as("due")])
        // The conditions of the index versions_due, so that only due rows are read.
        .where("versions.refresh_at", "<=", now)
        .where("versions.live_generation", "is not", null)
        .where("versions.open_run", "is", null)
        .orderBy("versions.refresh_at")
        .orderBy("versions.library_uid")
        .orderBy("versions.version")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        library: toLibrary(row),
        version: row.version,
        refreshAt: row.due,
        damaged: row.damage !== null,
      }));
    },

    async dueRetries(now, limit) {
      const rows = await db
        .selectFrom("versions")
        .innerJoin("libraries", "libraries.uid", "versions.library_uid")
        .leftJoin("runs as open", "open.id", "versions.open_run")
        .leftJoin("runs as last", "last.id", "versions.last_run")
        .leftJoin("generations", (join) =>
          join.onRef("generations.id", "=", "last.generation").on("generations.remove_after", "is", null),
        )
        .selectAll("libraries")
        .select(["versions.version", "versions.failed_runs", "open.id as suspended", "last.reason"])
        .select("generations.id as generation")
        .where("versions.retry_at", "<=", now)
        .where("libraries.redirect", "is", null)
        .where(({ or, eb }) => or([eb("versions.open_run", "is", null), eb("open.failure_json", "is not", null)]))
        .orderBy("versions.retry_at")
        .orderBy("versions.library_uid")
        .orderBy("versions.version")
        .limit(limit)
        .execute();
      return rows.map(({ version, failed_runs: failed, suspended, reason, generation, ...library }) => ({
        library: toLibrary(library),
        version,
        failed,
        reason: reason ?? "sweep",
        ...(suspended !== null && { suspended }),
        ...(generation !== null && { generation }),
      }));
    },
  };
}

/** Sums of reads by library and day, in the order in which all writers lock. */
function sumReads(reads: readonly ReadCount[]): readonly ReadCount[] {
  const sums = new Map<string, ReadCount>();
  for (const count of reads) {
    const key = JSON.stringify([count.libraryUid, count.day]);
    sums.set(key, { ...count, reads: count.reads + (sums.get(key)?.reads ?? 0) });
  }
  return sortedByKey(sums).map(([, count]) => count);
}

function sortedByKey<T>(entries: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

async function addReads(trx: Transaction<Schema>, reads: readonly ReadCount[]): Promise<void> {
  const uids = [...new Set(reads.map(({ libraryUid }) => libraryUid))];
  const libraries = await trx
    .selectFrom("libraries")
    .select("uid")
    .where("uid", "in", uids)
    .orderBy("uid")
    // Prevents removal until the rows that refer to the library are written.
    .forKeyShare()
    .execute();
  const known = new Set(libraries.map(({ uid }) => uid));
  const rows = reads.filter(({ libraryUid }) => known.has(libraryUid));
  if (rows.length === 0) return;
  await trx
    .insertInto("reads")
    .values(rows.map((count) => ({ library_uid: count.libraryUid, day: count.day, reads: count.reads })))
    .onConflict((conflict) =>
      conflict
        .columns(["library_uid", "day"])
        .doUpdateSet(({ eb, ref }) => ({ reads: eb(ref("reads.reads"), "+", ref("excluded.reads")) })),
    )
    .execute();
}

/** Records the last read of each version, except default versions, which are never removed. */
async function markRead(trx: Transaction<Schema>, reads: readonly ReadCount[], now: number): Promise<void> {
  const byVersion = Map.groupBy(reads, ({ libraryUid, version = "" }) => JSON.stringify([libraryUid, version]));
  for (const [, [read]] of sortedByKey(byVersion)) {
    if (!read?.version) continue;
    await trx
      .updateTable("versions")
      .set({ read_at: now })
      .where("library_uid", "=", read.libraryUid)
      .where("version", "=", read.version)
      // Another process may have recorded a later read already.
      .where(({ or, eb }) => or([eb("read_at", "is", null), eb("read_at", "<", now)]))
      .execute();
  }
}

/** Builds the part of the library store with the questions that found nothing. */
export function createMisses(db: Kysely<Schema>): Pick<LibraryStore, "noteMisses" | "misses"> {
  return {
    async noteMisses(misses) {
      // In the order in which all writers lock.
      const byLibrary = sortedByKey(Map.groupBy(misses, ({ libraryUid }) => libraryUid));
      await transact(db, async (trx) => {
        for (const [uid, ofLibrary] of byLibrary) await addMisses(trx, uid, ofLibrary);
      });
    },

    async misses(uid, limit) {
      const rows = await db
        .selectFrom("misses")
        .selectAll()
        .where("library_uid", "=", uid)
        .orderBy("asked_at", "desc")
        .orderBy("words")
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },
  };
}

async function addMisses(trx: Transaction<Schema>, uid: string, misses: readonly Miss[]): Promise<void> {
  // Locks the library, so that nobody adds misses while the surplus is counted.
  if (!(await lockLibrary(trx, uid))) return;
  for (const { words, times, askedAt } of misses)
    await trx
      .insertInto("misses")
      .values({ library_uid: uid, words, times, asked_at: askedAt })
      .onConflict((conflict) =>
        conflict.columns(["library_uid", "words"]).doUpdateSet(({ eb, ref }) => ({
          times: eb(ref("misses.times"), "+", ref("excluded.times")),
          asked_at: ref("excluded.asked_at"),
        })),
      )
      .execute();
  await trx
    .deleteFrom("misses")
    .where("library_uid", "=", uid)
    .where("words", "not in", ({ selectFrom }) =>
      selectFrom("misses as kept")
        .select("kept.words")
        .where("kept.library_uid", "=", uid)
        .orderBy("kept.asked_at", "desc")
        .orderBy("kept.words")
        .limit(missesKept),
    )
    .execute();
}

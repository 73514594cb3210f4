import { sql, type Transaction, type ExpressionBuilder, type Kysely } from "kysely";
import type { FailureRecord } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import type { RunRecord, LibraryStore, VersionRoom } from "../../domain/ports.ts";
import { removeUnusedCredential } from "./credentials.ts";
import { runColumns, toRun, toLibrary } from "./rows.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** Retention of the runs that a removal cancelled, for the engine, in milliseconds. */
const removedRunsKept = 24 * 60 * 60_000;

/**
 * Removes a library with its versions and refs. Its generations become removable; its open runs are closed as cancelled and returned.
 * The rows of these runs are deleted by the first removal a day later, its other runs at once.
 */
export async function removeLibrary(trx: Transaction<Schema>, uid: string, now: number): Promise<readonly RunRecord[]> {
  // First the rows that other transactions lock or check.
  await trx.selectFrom("libraries").select("uid").where("uid", "=", uid).forUpdate().executeTakeFirst();
  await trx.deleteFrom("versions").where("library_uid", "=", uid).execute();
  await trx.deleteFrom("libraries").where("uid", "=", uid).execute();
  await makeAllRemovable(trx, uid, undefined, now);
  await trx
    .deleteFrom("runs")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("runs as past")
        .select("past.id")
        .where("past.removed_at", "<", now - removedRunsKept)
        // A concurrent removal deletes these.
        .forUpdate()
        .skipLocked(),
    )
    .execute();
  await trx
    .deleteFrom("runs")
    .where("library_uid", "=", uid)
    .where("closed_at", "is not", null)
    .where("removed_at", "is", null)
    .execute();
  const open = await trx
    .selectFrom("runs")
    .select(runColumns)
    .where("library_uid", "=", uid)
    .where("closed_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const cancelled = [];
  for (const row of open) {
    const failure: FailureRecord = {
      code: "run_cancelled",
      message: `Indexing of ${showLibrary(row.library_id, row.version)} was cancelled because the library was removed.`,
    };
    const end = { outcome: "cancelled", failure_json: JSON.stringify(failure), closed_at: now } as const;
    await trx
      .updateTable("runs")
      .set({ ...end, removed_at: now, owner: null, lease_until: null, journal_json: "{}" })
      .where("id", "=", row.id)
      .execute();
    cancelled.push(toRun({ ...row, ...end }));
  }
  return cancelled;
}

/** Removes the redirects to a removed library that have nothing to read themselves. */
export async function removeTraces(
  trx: Transaction<Schema>,
  { id, teamspace }: Pick<LibraryRow, "id" | "teamspace">,
  now: number,
): Promise<void> {
  const traces = await trx
    .selectFrom("libraries")
    .select(["uid", "credential"])
    .where("teamspace", "=", teamspace)
    .where("redirect", "=", id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("versions")
            .select("version")
            .whereRef("versions.library_uid", "=", "libraries.uid")
            .where(({ or, eb }) => or([eb("live_generation", "is not", null), eb("open_run", "is not", null)])),
        ),
      ),
    )
    .orderBy("uid")
    .execute();
  for (const trace of traces) await removeWithCredential(trx, trace, now);
}

/** Removes a library with its own credential. Returns the runs that it cancelled. */
export async function removeWithCredential(
  trx: Transaction<Schema>,
  { uid, credential }: Pick<LibraryRow, "uid" | "credential">,
  now: number,
): Promise<readonly RunRecord[]> {
  const cancelled = await removeLibrary(trx, uid, now);
  if (credential !== null) await removeUnusedCredential(trx, credential);
  return cancelled;
}

/** Makes all generations of a library, or of one version of it, removable from `now` on. */
async function makeAllRemovable(
  trx: Transaction<Schema>,
  uid: string,
  version: string | undefined,
  now: number,
): Promise<void> {
  let update = trx.updateTable("generations").where("library_uid", "=", uid);
  if (version !== undefined) update = update.where("version", "=", version);
  await update
    .set(({ fn, val }) => ({ state: "retired", remove_after: fn.coalesce("remove_after", val(now)) }))
    .execute();
}

/** Whether a library was never served and no run of it can still succeed, as after a failed first run. */
export function isUnserved({ and, exists, not, selectFrom }: ExpressionBuilder<Schema, "libraries">) {
  const versions = selectFrom("versions")
    .whereRef("versions.library_uid", "=", "libraries.uid")
    .select("versions.version");
  const active = versions
    .leftJoin("runs as open", "open.id", "versions.open_run")
    .where(({ or, eb, and: all }) =>
      or([
        eb("versions.live_generation", "is not", null),
        all([eb("open.id", "is not", null), eb("open.failure_json", "is", null)]),
      ]),
    );
  // The redirect of a moved library has no version.
  return and([exists(versions), not(exists(active))]);
}

/** Builds the part of the library store that removes libraries that were never served. */
export function createUnserved(db: Kysely<Schema>): Pick<LibraryStore, "unserved" | "removeUnserved"> {
  return {
    async unserved(since, limit) {
      const rows = await db
        .selectFrom("libraries")
        .selectAll()
        .where("redirect", "is", null)
        .where("created_at", "<", since)
        .where(isUnserved)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("versions")
                .leftJoin("runs as last", "last.id", "versions.last_run")
                .whereRef("versions.library_uid", "=", "libraries.uid")
                .where(({ or, eb }) =>
                  or([eb("versions.retry_at", "is not", null), eb(sql<number>`last.closed_at`, ">=", since)]),
                )
                .select("versions.version"),
            ),
          ),
        )
        .orderBy("created_at")
        .orderBy("uid")
        .limit(limit)
        .execute();
      return rows.map(toLibrary);
    },

    removeUnserved: (uid, now) =>
      transact(db, async (trx) => {
        const library = await lockLibrary(trx, uid);
        // Locked like by the transactions that open and publish runs.
        await trx.selectFrom("versions").select("version").where("library_uid", "=", uid).forUpdate().execute();
        const still = library && trx.selectFrom("libraries").select("uid").where("uid", "=", uid).where(isUnserved);
        if (!library || library.redirect !== null || !(await still?.executeTakeFirst())) return undefined;
        const cancelled = await removeWithCredential(trx, library, now);
        await removeTraces(trx, library, now);
        return cancelled;
      }),
  };
}

/** When a version was last read; without reads, when its generation was made. */
const used = sql<number>`coalesce(versions.read_at, generations.created_at)`;

/** Builds the part of the library store that removes unused versions. */
export function createUnusedVersions(db: Kysely<Schema>): Pick<LibraryStore, "unusedVersions" | "giveUpVersion"> {
  /**
   * Versions that may be removed: not the default version, none with an open run or a held generation, and none of a library whose default
   * version has nothing live, as they may be all that is readable.
   */
  const unused = (trx: Kysely<Schema>, unusedSince: number) =>
    trx
      .selectFrom("versions")
      .innerJoin("generations", "generations.id", "versions.live_generation")
      .where("versions.version", "<>", "")
      .where("versions.open_run", "is", null)
      .where(used, "<", unusedSince)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("versions as readable")
            .select("readable.version")
            .whereRef("readable.library_uid", "=", "versions.library_uid")
            .where("readable.version", "=", "")
            .where("readable.live_generation", "is not", null),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("generations as held")
              .select("held.id")
              .whereRef("held.library_uid", "=", "versions.library_uid")
              .whereRef("held.version", "=", "versions.version")
              .where("held.state", "=", "held"),
          ),
        ),
      );
  return {
    async unusedVersions(kind, unusedSince, limit) {
      const rows = await unused(db, unusedSince)
        .innerJoin("libraries", "libraries.uid", "versions.library_uid")
        .leftJoin("versions as standard", (join) =>
          join.onRef("standard.library_uid", "=", "versions.library_uid").on("standard.version", "=", ""),
        )
        .leftJoin("generations as served", "served.id", "standard.live_generation")
        .selectAll("libraries")
        .select(["versions.version as unused_version", "served.ref as served_ref", used.as("used_at")])
        .where("libraries.source_json", "like", `%"kind":"${kind}"%`)
        .orderBy("used_at")
        .orderBy("libraries.uid")
        .orderBy("versions.version")
        .limit(limit)
        .execute();
      return rows.flatMap(({ unused_version: version, used_at: usedAt, served_ref: servedRef, ...row }) => {
        const library = toLibrary(row);
        // The LIKE pattern may match other text of the source.
        return library.source.kind === kind ? [{ library, version, usedAt, servedRef }] : [];
      });
    },

    giveUpVersion: (uid, version, { unusedSince, removeAfter }) =>
      transact(db, async (trx) => {
        if (!(await lockLibrary(trx, uid))) return false;
        const row = await unused(trx, unusedSince)
          .select("versions.version")
          .where("versions.library_uid", "=", uid)
          .where("versions.version", "=", version)
          .executeTakeFirst();
        return row !== undefined && removeVersion(trx, uid, version, removeAfter);
      }),
  };
}

/**
 * Removes the least recently used versions of a locked library until one more fits, and returns whether it does. Versions with an open
 * run, recently used ones, and the only readable one stay.
 */
export async function evictUnusedVersions(
  trx: Transaction<Schema>,
  uid: string,
  wanted: string,
  { atMost, unusedSince, removeAfter }: VersionRoom,
): Promise<boolean> {
  const all = await trx
    .selectFrom("versions")
    .leftJoin("generations", "generations.id", "versions.live_generation")
    .select(["versions.version", "versions.open_run", "versions.read_at", "generations.created_at"])
    .where("versions.library_uid", "=", uid)
    .orderBy("versions.version")
    .execute();
  const rows = all.filter(({ version }) => version !== "");
  const over = rows.length + 1 - atMost;
  if (over <= 0 || rows.some(({ version }) => version === wanted)) return true;
  // A new version was requested by somebody who has not read it yet.
  const byUse = rows
    .map((row) => ({ ...row, used: Math.max(row.read_at ?? 0, row.created_at ?? 0) }))
    .sort((one, other) => one.used - other.used);
  // If the default version has nothing live, the last used one that has may be the only readable one.
  const isReadable = all.some(({ version, created_at }) => version === "" && created_at !== null);
  const kept = isReadable ? undefined : byUse.findLast(({ created_at }) => created_at !== null);
  const idle = byUse.filter((row) => row.open_run === null && row.used < unusedSince && row !== kept);
  if (idle.length < over) return false;
  let removed = 0;
  for (const { version } of idle) {
    if (removed === over) break;
    removed += Number(await removeVersion(trx, uid, version, removeAfter));
  }
  return removed === over;
}

/** Removes a version of a locked library with its runs; false if a run was opened meanwhile. */
async function removeVersion(
  trx: Transaction<Schema>,
  uid: string,
  version: string,
  removeAfter: number,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("versions")
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .where("open_run", "is", null)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await makeAllRemovable(trx, uid, version, removeAfter);
  await trx.deleteFrom("runs").where("library_uid", "=", uid).where("version", "=", version).execute();
  return true;
}

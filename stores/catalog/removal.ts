import { sql } from "kysely";
import type { Transaction, ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from "kysely";
import type { FailureRecord } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import type { RunRecord, LibraryStore } from "../../domain/ports.ts";
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
export async function makeAllRemovable(
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
export function isUnserved({
  and,
  exists,
  not,
  selectFrom,
}: ExpressionBuilder<Schema, "libraries">): ExpressionWrapper<Schema, "libraries", SqlBool> {
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

import type { Kysely, Transaction } from "kysely";
import type { LibraryRecord, NewRun, RunRecord, RunStore } from "../domain/ports.ts";
import { createLeases } from "./leases.ts";
import { runColumns, toRun } from "./rows.ts";
import type { Schema } from "./schema.ts";

/** Builds the store of runs. */
export function createRunStore(db: Kysely<Schema>): RunStore {
  return {
    ...createLeases(db),

    get: (runId) => findRun(db, runId),

    open: (uid, version, run, now) =>
      db.transaction().execute(async (trx) => {
        const found = await trx
          .selectFrom("versions")
          .innerJoin("libraries", "libraries.uid", "versions.library_uid")
          .select(["libraries.uid", "libraries.teamspace", "libraries.id", "versions.open_run"])
          .where("versions.library_uid", "=", uid)
          .where("versions.version", "=", version)
          .executeTakeFirst();
        if (!found) return undefined;
        if (found.open_run === null) return { joined: false, run: await insertRun(trx, found, version, run, now) };
        const joined = await trx
          .updateTable("runs")
          .set(({ eb, ref }) => ({
            priority: eb.case().when("priority", "<", run.priority).then(run.priority).else(ref("priority")).end(),
          }))
          .where("id", "=", found.open_run)
          .returning(runColumns)
          .executeTakeFirstOrThrow();
        return { joined: true, run: toRun(joined) };
      }),

    async report(runId, { phase, progress }) {
      if (phase === undefined && progress === undefined) return;
      await db
        .updateTable("runs")
        .set({
          ...(phase !== undefined && { phase }),
          ...(progress !== undefined && { progress_json: JSON.stringify(progress) }),
        })
        .where("id", "=", runId)
        .where("closed_at", "is", null)
        .execute();
    },

    async close(runId, { outcome, failure, revision }, now) {
      await db.transaction().execute(async (trx) => {
        const closed = await trx
          .updateTable("runs")
          .set({
            outcome,
            failure_json: failure ? JSON.stringify(failure) : null,
            closed_at: now,
            owner: null,
            lease_until: null,
            // What was kept to go on with is of no use any more.
            journal_json: "{}",
            checkpoint_json: null,
          })
          .where("id", "=", runId)
          .where("closed_at", "is", null)
          .returning(["library_uid", "version", "generation"])
          .executeTakeFirst();
        if (!closed) return;
        const found = outcome === "published" || outcome === "unchanged";
        await trx
          .updateTable("versions")
          .set({
            open_run: null,
            last_run: runId,
            ...(found && { checked_at: now }),
            ...(found && revision !== undefined && { checked_revision: revision }),
          })
          .where("library_uid", "=", closed.library_uid)
          .where("version", "=", closed.version)
          .where("open_run", "=", runId)
          .execute();
        await trx
          .updateTable("generations")
          .set({ state: "retired", remove_after: now })
          .where("id", "in", closed.generation === null ? [runId] : [runId, closed.generation])
          .where("state", "=", "staged")
          .execute();
      });
    },

    async of(uid, limit) {
      const rows = await db
        .selectFrom("runs")
        .select(runColumns)
        .where("library_uid", "=", uid)
        .where("removed_at", "is", null)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },

    async openRuns() {
      const rows = await db
        .selectFrom("runs")
        .select(runColumns)
        .where("closed_at", "is", null)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toRun);
    },
  };
}

/** Adds an open run for a version that has none, and makes it the version's. */
export async function insertRun(
  trx: Transaction<Schema>,
  library: Pick<LibraryRecord, "uid" | "teamspace" | "id">,
  version: string,
  run: NewRun,
  now: number,
): Promise<RunRecord> {
  const row = await trx
    .insertInto("runs")
    .values({
      id: run.runId,
      library_uid: library.uid,
      teamspace: library.teamspace,
      library_id: library.id,
      version,
      reason: run.reason,
      generation: run.generation ?? null,
      phase: "queued",
      progress_json: "{}",
      priority: run.priority,
      created_at: now,
      claims: 0,
      journal_json: "{}",
    })
    .returning(runColumns)
    .executeTakeFirstOrThrow();
  await trx
    .updateTable("versions")
    .set({ open_run: run.runId })
    .where("library_uid", "=", library.uid)
    .where("version", "=", version)
    .execute();
  return toRun(row);
}

async function findRun(db: Kysely<Schema>, runId: string): Promise<RunRecord | undefined> {
  const row = await db.selectFrom("runs").select(runColumns).where("id", "=", runId).executeTakeFirst();
  return row && toRun(row);
}

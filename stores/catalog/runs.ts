import type { Kysely, Transaction } from "kysely";
import { kindOf } from "../../domain/kinds/index.ts";
import { mergeProgress, type Progress } from "../../domain/steps.ts";
import type { LibraryRecord, NewRun, RunEnd, RunRecord, RunStore } from "../../domain/ports.ts";
import { retryTime } from "../../domain/scheduling.ts";
import { createLeases } from "./leases.ts";
import { notifyOfLibrary } from "./receivers.ts";
import { runColumns, toLibrary, toRun } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockVersion, unsyncedCommit, transact } from "./transaction.ts";

/** Maximum closed runs kept per version. */
const closedRunsKept = 20;

/** Maximum surplus runs deleted when a run is closed; each closing adds one, so surpluses do not last. */
const maxDeleted = 100;

/** Builds the store of runs. */
export function createRunStore(db: Kysely<Schema>): RunStore {
  return {
    ...createLeases(db),

    get: (runId) => findRun(db, runId),

    open: (uid, version, run, now) =>
      transact(db, async (trx) => {
        const locked = await lockVersion(trx, uid, version);
        if (!locked) return undefined;
        if (locked.open_run === null) {
          const library = trx.selectFrom("libraries").selectAll().where("uid", "=", uid);
          const owner = toLibrary(await library.executeTakeFirstOrThrow());
          return { joined: false, run: await insertRun(trx, owner, version, run, now) };
        }
        const joined = await trx
          .updateTable("runs")
          .set(({ eb, ref }) => ({
            priority: eb.case().when("priority", "<", run.priority).then(run.priority).else(ref("priority")).end(),
          }))
          .where("id", "=", locked.open_run)
          .returning(runColumns)
          .executeTakeFirstOrThrow();
        return { joined: true, run: toRun(joined) };
      }),

    async report(runId, { phase, progress, attempt, failure }, now) {
      const before = await findRun(db, runId);
      if (!before || before.state === "closed") return;
      const latest = progress && mergeProgress(before.progress, progress);
      const isProgress =
        (phase !== undefined && phase !== before.phase) || (latest && figuresIn(latest) !== figuresIn(before.progress));
      const changes = {
        ...(phase !== undefined && { phase }),
        ...(latest && { progress_json: JSON.stringify(latest) }),
        ...(attempt !== undefined && { attempt }),
        ...(failure && { last_failure_json: JSON.stringify(failure) }),
        ...(isProgress === true && { progress_at: now }),
      };
      if (Object.keys(changes).length === 0) return;
      await db
        .updateTable("runs")
        .set(({ fn, val }) => ({
          ...changes,
          started_at: fn.coalesce("started_at", val(now)),
        }))
        .where("id", "=", runId)
        .where("closed_at", "is", null)
        .modifyEnd(unsyncedCommit)
        .execute();
    },

    async close(runId, end, now) {
      await transact(db, async (trx) => {
        const run = await findRun(trx, runId);
        if (!run) return;
        await lockVersion(trx, run.libraryUid, run.version);
        await closeRun(trx, runId, end, now);
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

/** The figures of a run's progress, without `waiting`, as waiting for a host is no progress. */
function figuresIn({ waiting: _waiting, ...figures }: Progress): string {
  return JSON.stringify(figures);
}

/** Adds an open run for a version that has none, and makes it the version's. */
export async function insertRun(
  trx: Transaction<Schema>,
  library: Pick<LibraryRecord, "uid" | "teamspace" | "id" | "source">,
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
      // A run that only loads a generation reads from no host.
      host: run.generation === undefined ? kindOf(library.source).host(library.source) : null,
      key_id: run.keyId ?? null,
      claims: 0,
      journal_json: "{}",
    })
    .returning(runColumns)
    .executeTakeFirstOrThrow();
  await trx
    .updateTable("versions")
    .set({ open_run: run.runId, failed_runs: run.failed ?? 0, retry_at: null })
    .where("library_uid", "=", library.uid)
    .where("version", "=", version)
    .execute();
  return toRun(row);
}

/** Closes an open run, whose version is locked, and returns it; undefined if it is closed already. */
export async function closeRun(
  trx: Transaction<Schema>,
  runId: string,
  { outcome, failure, revision, followedRevision = null }: RunEnd,
  now: number,
): Promise<RunRecord | undefined> {
  const closed = await trx
    .updateTable("runs")
    .set({
      outcome,
      failure_json: failure ? JSON.stringify(failure) : null,
      closed_at: now,
      owner: null,
      lease_until: null,
      // A closed run is never resumed.
      journal_json: "{}",
    })
    .where("id", "=", runId)
    .where("closed_at", "is", null)
    .returning(runColumns)
    .executeTakeFirst();
  if (!closed) return undefined;
  const { library_uid: uid, version, generation } = closed;
  const isChecked = outcome === "published" || outcome === "unchanged";
  const failed = outcome === "failed" ? (await failedBefore(trx, uid, version)) + 1 : 0;
  const retryAt = failure && failed > 0 ? retryTime(failure.code, failed, now) : null;
  await trx
    .updateTable("versions")
    .set({
      open_run: null,
      last_run: runId,
      failed_runs: failed,
      retry_at: retryAt,
      ...(isChecked && { checked_at: now }),
      ...(isChecked && revision !== undefined && { checked_revision: revision, followed_revision: followedRevision }),
    })
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .where("open_run", "=", runId)
    .execute();
  if (outcome === "failed") {
    const data = {
      runId,
      reason: closed.reason,
      error: failure?.code ?? null,
      message: failure?.message ?? null,
      retryAt: retryAt === null ? null : new Date(retryAt),
    };
    await notifyOfLibrary(trx, { event: "library.failed", uid, version, data }, now);
  }
  // Staged generations of the version have no run any more, except one that a retry loads.
  const kept = retryAt === null ? "" : (generation ?? "");
  await trx
    .updateTable("generations")
    .set({ state: "retired", remove_after: now })
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .where("state", "=", "staged")
    .where("id", "<>", kept)
    .execute();
  await clearClosed(trx, uid, version, runId);
  return toRun(closed);
}

/** The number of consecutive failed runs of a version. */
async function failedBefore(trx: Transaction<Schema>, uid: string, version: string): Promise<number> {
  const row = await trx
    .selectFrom("versions")
    .select("failed_runs")
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .executeTakeFirst();
  return row?.failed_runs ?? 0;
}

/** Deletes the oldest closed runs of a version, but never the one closed last. */
async function clearClosed(trx: Transaction<Schema>, uid: string, version: string, last: string): Promise<void> {
  const closed = await trx
    .selectFrom("runs")
    .select("id")
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .where("closed_at", "is not", null)
    .orderBy("closed_at", "desc")
    .orderBy("id", "desc")
    .limit(closedRunsKept + maxDeleted)
    .execute();
  const surplus = closed.slice(closedRunsKept).flatMap(({ id }) => (id === last ? [] : [id]));
  if (surplus.length > 0) await trx.deleteFrom("runs").where("id", "in", surplus).execute();
}

async function findRun(db: Kysely<Schema>, runId: string): Promise<RunRecord | undefined> {
  const row = await db.selectFrom("runs").select(runColumns).where("id", "=", runId).executeTakeFirst();
  return row && toRun(row);
}

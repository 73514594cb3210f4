import { sql, type Expression, type Kysely, type SqlBool, type Transaction } from "kysely";
import type { RunStore } from "../../domain/ports.ts";
import { resumeTime } from "../../domain/scheduling.ts";
import { parse, runColumns, toRecord, toRun } from "./rows.ts";
import type { RunRow, Schema } from "./schema.ts";
import { unsyncedCommit, transact } from "./transaction.ts";

/** The part of the run store for the in-process engine. */
export type Leases = Pick<RunStore, "waiting" | "claim" | "renew" | "orphan" | "release" | "resume" | "record">;

/** Maximum number of waiting turns to read. */
const maxTurns = 200;

/** Builds the part of the run store with leases and journals. */
export function createLeases(db: Kysely<Schema>): Leases {
  return {
    async waiting(now) {
      const suspect = sql<number>`case when deaths > 0 then 1 else 0 end`;
      const rows = await db
        .selectFrom("runs")
        .select(["host", "key_id", "priority", suspect.as("suspect")])
        .select(({ fn }) => fn.min("created_at").as("since"))
        .where("closed_at", "is", null)
        .where("failure_json", "is", null)
        .where(isFree(now))
        .groupBy(["host", "key_id", "priority", suspect])
        .orderBy("priority", "desc")
        .orderBy("since")
        .limit(maxTurns)
        .execute();
      return rows.map((row) => ({ ...toRecord(row), suspect: row.suspect === 1 }));
    },

    async claim(owner, leaseUntil, now, turn) {
      const row = await db
        .updateTable("runs")
        .set(({ eb, fn, val }) => ({
          owner,
          lease_until: leaseUntil,
          claims: eb("claims", "+", 1),
          started_at: fn.coalesce("started_at", val(now)),
        }))
        .where("id", "=", ({ selectFrom }) =>
          selectFrom("runs")
            .select("id")
            .where("closed_at", "is", null)
            .where("failure_json", "is", null)
            .where(isFree(now))
            .$if(turn !== undefined, (query) => {
              const { host = null, keyId = null, priority = 0, suspect = false } = turn ?? {};
              return query
                .where("host", host === null ? "is" : "=", host)
                .where("key_id", keyId === null ? "is" : "=", keyId)
                .where("priority", "=", priority)
                .where("deaths", suspect ? ">" : "=", 0);
            })
            .orderBy("priority", "desc")
            .orderBy("created_at")
            .orderBy("id")
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returning([...runColumns, "journal_json", "claims", "deaths", "host", "key_id"])
        .modifyEnd(unsyncedCommit)
        .executeTakeFirst();
      if (!row) return undefined;
      const { journal_json, claims, deaths, host, key_id, ...run } = row;
      return {
        run: toRun(run),
        journal: parse(journal_json),
        claims,
        turn: { host, keyId: key_id, priority: run.priority, suspect: deaths > 0, since: run.created_at },
      };
    },

    async renew(owner, leaseUntil) {
      await transact(db, async (trx) => void (await updateOpen(trx, "=", owner, { lease_until: leaseUntil })));
    },

    async orphan(owner, { deaths, failure }, now) {
      await transact(db, async (trx) => {
        const orphaned = await updateOpen(trx, "<>", owner, { owner: null, lease_until: null });
        if (orphaned.length === 0) return;
        await trx
          .updateTable("runs")
          .set(({ eb }) => ({ deaths: eb("deaths", "+", 1) }))
          .where("id", "in", orphaned)
          .execute();
        const suspended = await trx
          .updateTable("runs")
          .set({ failure_json: JSON.stringify(failure) })
          .where("id", "in", orphaned)
          .where("deaths", ">=", deaths)
          .returning(["id", "deaths"])
          .execute();
        for (const run of suspended)
          await trx
            .updateTable("versions")
            .set({ retry_at: resumeTime(run.deaths, deaths, now) })
            .where("open_run", "=", run.id)
            .execute();
      });
    },

    async release(owner) {
      await transact(db, async (trx) => {
        const released = await updateOpen(trx, "=", owner, { owner: null, lease_until: null });
        if (released.length === 0) return;
        await trx
          .updateTable("runs")
          .set(({ eb }) => ({ claims: eb("claims", "-", 1) }))
          .where("id", "in", released)
          .execute();
      });
    },

    async resume(runId, { forgiven }) {
      await transact(db, async (trx) => {
        await trx.updateTable("versions").set({ retry_at: null }).where("open_run", "=", runId).execute();
        await trx
          .updateTable("runs")
          .set({ failure_json: null, claims: 0, ...(forgiven && { deaths: 0 }) })
          .where("id", "=", runId)
          .where("closed_at", "is", null)
          .where("failure_json", "is not", null)
          .execute();
      });
    },

    async record(runId, journal) {
      await db
        .updateTable("runs")
        .set({ journal_json: JSON.stringify(journal) })
        .where("id", "=", runId)
        .where("closed_at", "is", null)
        .modifyEnd(unsyncedCommit)
        .execute();
    },
  };
}

/** Whether no process has a lease on the run. */
function isFree(now: number): Expression<SqlBool> {
  return sql<SqlBool>`(lease_until is null or lease_until <= ${now})`;
}

/** Updates the open runs of an owner, or of all others, and returns their IDs. Locked in a fixed order, to avoid deadlocks. */
async function updateOpen(
  trx: Transaction<Schema>,
  whose: "=" | "<>",
  owner: string,
  changes: Partial<Pick<RunRow, "owner" | "lease_until">>,
): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom("runs")
    .select("id")
    .where("owner", whose, owner)
    .where("closed_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await trx.updateTable("runs").set(changes).where("id", "in", ids).execute();
  return ids;
}

import type { Kysely, Transaction } from "kysely";
import type { RunStore } from "../domain/ports.ts";
import { parse, runColumns, toRun } from "./rows.ts";
import type { RunRow, Schema } from "./schema.ts";
import { mayBeLost, transact } from "./transaction.ts";

/** What the in-process engine keeps of its runs. */
export type Leases = Pick<RunStore, "claim" | "renew" | "orphan" | "record">;

/** Builds the part of the run store that says who executes a run, and how far it is. */
export function createLeases(db: Kysely<Schema>): Leases {
  return {
    async claim(owner, leaseUntil, now) {
      const row = await db
        .updateTable("runs")
        .set(({ eb, fn, val }) => ({
          owner,
          lease_until: leaseUntil,
          claims: eb("claims", "+", 1),
          started_at: fn.coalesce("started_at", val(now)),
        }))
        .where("id", "=", ({ selectFrom }) =>
          selectFrom("runs as next")
            .select("next.id")
            .where("next.closed_at", "is", null)
            .where((eb) => eb.or([eb("next.lease_until", "is", null), eb("next.lease_until", "<=", now)]))
            .orderBy("next.priority", "desc")
            .orderBy("next.created_at")
            .orderBy("next.id")
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returning([...runColumns, "journal_json", "claims"])
        .modifyEnd(mayBeLost)
        .executeTakeFirst();
      if (!row) return undefined;
      return { run: toRun(row), journal: parse(row.journal_json), claims: row.claims };
    },

    async renew(owner, leaseUntil) {
      await transact(db, (trx) => updateOpen(trx, "=", owner, { lease_until: leaseUntil }));
    },

    async orphan(owner) {
      await transact(db, (trx) => updateOpen(trx, "<>", owner, { owner: null, lease_until: null }));
    },

    async record(runId, journal) {
      await db
        .updateTable("runs")
        .set({ journal_json: JSON.stringify(journal) })
        .where("id", "=", runId)
        .where("closed_at", "is", null)
        .modifyEnd(mayBeLost)
        .execute();
    },
  };
}

/** Changes the open runs of an owner, or of all others, locked in one order, so that no two changes wait for each other. */
async function updateOpen(
  trx: Transaction<Schema>,
  whose: "=" | "<>",
  owner: string,
  changes: Partial<Pick<RunRow, "owner" | "lease_until">>,
): Promise<void> {
  const found = await trx
    .selectFrom("runs")
    .select("id")
    .where("owner", whose, owner)
    .where("closed_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) await trx.updateTable("runs").set(changes).where("id", "in", ids).execute();
}

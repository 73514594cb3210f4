import type { Kysely } from "kysely";
import type { RunStore } from "../domain/ports.ts";
import { parse, runColumns, toRun } from "./rows.ts";
import type { Schema } from "./schema.ts";

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
            .limit(1),
        )
        // Said again for databases that only look at the row anew when they come to lock it.
        .where("closed_at", "is", null)
        .where((eb) => eb.or([eb("lease_until", "is", null), eb("lease_until", "<=", now)]))
        .returning([...runColumns, "journal_json", "checkpoint_json", "claims"])
        .executeTakeFirst();
      if (!row) return undefined;
      return {
        run: toRun(row),
        journal: parse(row.journal_json),
        checkpoint: row.checkpoint_json === null ? undefined : parse<unknown>(row.checkpoint_json),
        claims: row.claims,
      };
    },

    async renew(owner, leaseUntil) {
      await db
        .updateTable("runs")
        .set({ lease_until: leaseUntil })
        .where("owner", "=", owner)
        .where("closed_at", "is", null)
        .execute();
    },

    async orphan(owner) {
      await db
        .updateTable("runs")
        .set({ owner: null, lease_until: null })
        .where("owner", "<>", owner)
        .where("closed_at", "is", null)
        .execute();
    },

    async record(runId, { journal, checkpoint }) {
      if (journal === undefined && checkpoint === undefined) return;
      await db
        .updateTable("runs")
        .set({
          ...(journal !== undefined && { journal_json: JSON.stringify(journal) }),
          ...(checkpoint !== undefined && { checkpoint_json: JSON.stringify(checkpoint) }),
        })
        .where("id", "=", runId)
        .where("closed_at", "is", null)
        .execute();
    },
  };
}

import type { Kysely } from "kysely";
import type { AccessRecord, TeamspaceStore } from "../../domain/ports.ts";
import type { Schema, TeamspaceRow } from "./schema.ts";
import { transact } from "./transaction.ts";
import { parse, toRecord } from "./rows.ts";

const accessColumns = ["policy_revision", "policy_json", "rules_json"] as const;

/** Builds the store of teamspaces. */
export function createTeamspaceStore(db: Kysely<Schema>): TeamspaceStore {
  // Compiled once, as every search needs it.
  const readRevision = db.selectFrom("teamspaces").select("policy_revision").where("id", "=", "").compile();
  return {
    async add({ id, title, createdAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("teamspaces")
        .values({ id, title, created_at: createdAt })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async list() {
      const rows = await db.selectFrom("teamspaces").select(["id", "title", "created_at"]).orderBy("id").execute();
      return rows.map(toRecord);
    },

    async revision(id) {
      const { rows } = await db.executeQuery<{ readonly policy_revision: number }>({
        ...readRevision,
        parameters: [id],
      });
      return rows[0]?.policy_revision ?? 0;
    },

    async access(id) {
      const row = await db.selectFrom("teamspaces").select(accessColumns).where("id", "=", id).executeTakeFirst();
      return toAccess(row);
    },

    changeAccess: (id, change, now) =>
      transact(db, async (trx) => {
        const row = await trx
          .selectFrom("teamspaces")
          .select(accessColumns)
          .where("id", "=", id)
          .forUpdate()
          .executeTakeFirst();
        if (!row) return undefined;
        const before = toAccess(row);
        const { policy, rules } = { ...before, ...change(before) };
        const changed = { policy_json: policy && JSON.stringify(policy), rules_json: rules && JSON.stringify(rules) };
        if (changed.policy_json === row.policy_json && changed.rules_json === row.rules_json) return before;
        // Based on the clock, so that a teamspace that is removed and created again does not repeat revisions.
        const revision = Math.max(before.revision + 1, now);
        await trx
          .updateTable("teamspaces")
          .set({ ...changed, policy_revision: revision })
          .where("id", "=", id)
          .execute();
        return { revision, policy, rules };
      }),

    remove: (id) =>
      transact(db, async (trx) => {
        // A transaction that adds something to the teamspace waits for this lock, and then finds it removed.
        const row = await trx.selectFrom("teamspaces").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
        if (!row) return undefined;
        const count = async (table: "libraries" | "keys"): Promise<number> => {
          let owned = trx.selectFrom(table).where("teamspace", "=", id);
          if (table === "keys") owned = owned.where("revoked_at", "is", null);
          const { total } = await owned.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
          return Number(total);
        };
        const left = { libraries: await count("libraries"), keys: await count("keys") };
        if (left.libraries + left.keys > 0) return left;
        await trx.deleteFrom("keys").where("teamspace", "=", id).execute();
        await trx.deleteFrom("hooks").where("teamspace", "=", id).execute();
        await trx.deleteFrom("team_notes").where("teamspace", "=", id).execute();
        await trx.deleteFrom("receivers").where("teamspace", "=", id).execute();
        await trx.deleteFrom("access_rules").where("teamspace", "=", id).execute();
        await trx.deleteFrom("group_grants").where("teamspace", "=", id).execute();
        await trx.deleteFrom("agents").where("teamspace", "=", id).execute();
        await trx.deleteFrom("credentials").where("teamspace", "=", id).execute();
        await trx.deleteFrom("teamspaces").where("id", "=", id).execute();
        return left;
      }),
  };
}

/** Converts a row to a policy and rules; without a row, to the defaults. */
function toAccess(
  row: (Pick<TeamspaceRow, "policy_json" | "rules_json"> & { readonly policy_revision: number }) | undefined,
): AccessRecord {
  if (!row) return { revision: 0, policy: null, rules: null };
  return {
    revision: row.policy_revision,
    policy: row.policy_json === null ? null : parse(row.policy_json),
    rules: row.rules_json === null ? null : parse(row.rules_json),
  };
}

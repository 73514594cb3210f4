import type { Kysely } from "kysely";
import type { TeamspaceStore } from "../domain/ports.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Builds the store of teamspaces. */
export function createTeamspaceStore(db: Kysely<Schema>): TeamspaceStore {
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
      const rows = await db.selectFrom("teamspaces").selectAll().orderBy("id").execute();
      return rows.map(({ id, title, created_at }) => ({ id, title, createdAt: created_at }));
    },

    remove: (id) =>
      transact(db, async (trx) => {
        // Whoever adds a key, a credential or a library to it waits for this lock, and then finds it gone.
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
        await trx.deleteFrom("access_rules").where("teamspace", "=", id).execute();
        await trx.deleteFrom("group_grants").where("teamspace", "=", id).execute();
        await trx.deleteFrom("credentials").where("teamspace", "=", id).execute();
        await trx.deleteFrom("teamspaces").where("id", "=", id).execute();
        return left;
      }),
  };
}

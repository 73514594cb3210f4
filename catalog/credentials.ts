import type { Kysely } from "kysely";
import type { CredentialStore } from "../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** Builds the store of sealed credentials. */
export function createCredentialStore(db: Kysely<Schema>): CredentialStore {
  return {
    async add({ id, teamspace, host, sealed, createdAt }) {
      await db.insertInto("credentials").values({ id, teamspace, host, sealed, created_at: createdAt }).execute();
    },

    async get(id) {
      const row = await db.selectFrom("credentials").selectAll().where("id", "=", id).executeTakeFirst();
      if (!row) return undefined;
      const { created_at, ...same } = row;
      return { ...same, createdAt: created_at };
    },

    async remove(id) {
      await db.deleteFrom("credentials").where("id", "=", id).execute();
    },
  };
}

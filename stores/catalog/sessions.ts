import type { Kysely } from "kysely";
import type { SessionStore } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** Builds the store of the sessions that were signed out of. */
export function createSessionStore(db: Kysely<Schema>): SessionStore {
  return {
    async end(id, until) {
      await db
        .insertInto("ended_sessions")
        .values({ id, until })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },

    async isEnded(id) {
      return (await db.selectFrom("ended_sessions").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
    },

    async forget(before) {
      await db.deleteFrom("ended_sessions").where("until", "<", before).execute();
    },
  };
}

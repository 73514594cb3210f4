import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds dashboard sessions that were ended by signing out. */
export async function addEndedSessions(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .createTable("ended_sessions")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
}

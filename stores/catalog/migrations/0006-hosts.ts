import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the earliest time of the next request to each host. */
export async function addHosts(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .createTable("hosts")
    .addColumn("host", text, (column) => column.primaryKey())
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .execute();
}

import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/**
 * Requests counted against rate limits. Where there is a log of writes, they are kept out of it: counting waits for no disk, and a
 * crash of the database begins all windows anew. The columns and their order are those of rate-limiter-flexible.
 */
export async function addLimits({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  const table = schema.createTable("limits");
  // Only SQLite has a type of text that needs no collation.
  await (text === "text" ? table : table.modifyFront(sql`unlogged`))
    .addColumn("key", text, (column) => column.primaryKey())
    .addColumn("points", "integer", (column) => column.notNull())
    .addColumn("expire", "bigint")
    .execute();
}

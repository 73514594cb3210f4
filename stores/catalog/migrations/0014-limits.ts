import { sql, type Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/**
 * Adds the requests counted for rate limits, with the columns of rate-limiter-flexible in its order. In PostgreSQL the table is unlogged:
 * counting does not wait for the disk, and a crash of the database resets all windows.
 */
export async function addLimits({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  const table = schema.createTable("limits");
  // The text type is plain only for SQLite.
  await (text === "text" ? table : table.modifyFront(sql`unlogged`))
    .addColumn("key", text, (column) => column.primaryKey())
    .addColumn("points", "integer", (column) => column.notNull())
    .addColumn("expire", "bigint")
    .execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the tenant of credentials, for hosts with several; "": the whole host. */
export async function addTenants(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .alterTable("credentials")
    .addColumn("tenant", text, (column) => column.notNull().defaultTo(""))
    .execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Credentials are for one tenant of a host that serves many; "" for all of the host. */
export async function addTenants(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .alterTable("credentials")
    .addColumn("tenant", text, (column) => column.notNull().defaultTo(""))
    .execute();
}

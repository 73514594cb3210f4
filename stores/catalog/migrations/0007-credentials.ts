import { sql, type Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds kinds of credentials and names of shared ones. Older ones have no kind, and belong to one library. */
export async function addCredentialKinds(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("credentials").addColumn("kind", text).execute();
  await db.schema
    .alterTable("credentials")
    .addColumn("name", text, (column) => column.notNull().defaultTo(""))
    .execute();
  await db.schema
    .createIndex("credentials_named")
    .unique()
    .on("credentials")
    .columns(["teamspace", "kind", "name"])
    .where(sql.ref("name"), "<>", sql.lit(""))
    .execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds reputations of libraries, and samples of their pages, for finding copies. */
export async function addReputations(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("reputation_json", text).execute();
  await db.schema.alterTable("libraries").addColumn("score", "integer").execute();
  await db.schema.alterTable("libraries").addColumn("stars", "bigint").execute();
  await db.schema.alterTable("libraries").addColumn("verified", "integer").execute();
  await db.schema.alterTable("libraries").addColumn("reputation_at", "bigint").execute();
  await db.schema.alterTable("libraries").addColumn("homepage_host", text).execute();
  await db.schema.createIndex("libraries_by_homepage").on("libraries").column("homepage_host").execute();
  await db.schema
    .createTable("samples")
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("page_key", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("samples_pk", ["library_uid", "page_key"])
    .execute();
  await db.schema.createIndex("samples_by_page").on("samples").column("page_key").execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds library manifests, and what they declare of libraries. */
export async function addManifests({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("manifests")
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("revision", text)
    .addColumn("applied_at", "bigint", (column) => column.notNull())
    .addColumn("result", text, (column) => column.notNull())
    .addColumn("problems_json", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("manifests_key", ["teamspace", "name"])
    .execute();
  await schema
    .createTable("declarations")
    .addColumn("library_uid", text, (column) => column.primaryKey().references("libraries.uid").onDelete("cascade"))
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("manifest", text, (column) => column.notNull())
    .addColumn("made", "integer", (column) => column.notNull())
    .addColumn("location", text, (column) => column.notNull())
    .addColumn("fields_json", text, (column) => column.notNull())
    .addColumn("waiting_json", text)
    .execute();
  await schema.createIndex("declarations_of_manifest").on("declarations").columns(["teamspace", "manifest"]).execute();
  await schema
    .createIndex("declarations_waiting")
    .on("declarations")
    .column("waiting_json")
    .where("waiting_json", "is not", null)
    .execute();
}

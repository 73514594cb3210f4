import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds feedback on answers, and notes of teamspaces on libraries. */
export async function addFeedback({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("feedback")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("verdict", text, (column) => column.notNull())
    .addColumn("words", text, (column) => column.notNull())
    .addColumn("comment", text, (column) => column.notNull())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("feedback_of_library").on("feedback").columns(["library_uid", "at"]).execute();
  await schema
    .createTable("team_notes")
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("text", text, (column) => column.notNull())
    .addColumn("changed_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("team_notes_key", ["library_uid", "teamspace"])
    .execute();
}

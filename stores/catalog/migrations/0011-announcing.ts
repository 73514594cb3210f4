import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds attempt, last failure and last progress of runs, and questions that found nothing. */
export async function addAnnouncing({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .alterTable("runs")
    .addColumn("attempt", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await schema.alterTable("runs").addColumn("last_failure_json", text).execute();
  await schema.alterTable("runs").addColumn("progress_at", "bigint").execute();
  await schema
    .createTable("misses")
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("words", text, (column) => column.notNull())
    .addColumn("times", "bigint", (column) => column.notNull())
    .addColumn("asked_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("misses_key", ["library_uid", "words"])
    .execute();
}

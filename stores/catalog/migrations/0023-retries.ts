import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Versions say when a failed run is tried again, and how many failed in a row. */
export async function addRetries({ schema }: Kysely<Schema>, _text: TextType): Promise<void> {
  await schema
    .alterTable("versions")
    .addColumn("failed_runs", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("versions").addColumn("retry_at", "bigint").execute();
  await schema
    .createIndex("versions_retried")
    .on("versions")
    .column("retry_at")
    .where("retry_at", "is not", null)
    .execute();
}

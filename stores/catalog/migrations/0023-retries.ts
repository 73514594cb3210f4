import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the time of the next retry, and the number of consecutive failed runs, of versions. */
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

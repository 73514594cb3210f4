import type { Kysely } from "kysely";
import type { Schema } from "../schema.ts";

/** Adds the time when the index was found to lack a live generation. */
export async function addUnindexed({ schema }: Kysely<Pick<Schema, "generations">>): Promise<void> {
  await schema.alterTable("generations").addColumn("unindexed_at", "bigint").execute();
  await schema
    .createIndex("generations_unindexed")
    .on("generations")
    .column("unindexed_at")
    .where("unindexed_at", "is not", null)
    .execute();
}

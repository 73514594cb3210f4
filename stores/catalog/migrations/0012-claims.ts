import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the names that package manifests claim for libraries. */
export async function addClaims(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("claims_json", text).execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Libraries have the names that manifests of packages claim for them. */
export async function addClaims(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("claims_json", text).execute();
}

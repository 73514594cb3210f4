import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Libraries of a submitted file name the blob that has it. */
export async function addUploads(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("upload", text).execute();
}

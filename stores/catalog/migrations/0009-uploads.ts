import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the blob of the uploaded file of libraries. */
export async function addUploads(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("upload", text).execute();
}

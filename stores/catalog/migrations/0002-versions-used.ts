import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the time of the last read of versions, and settings of libraries. */
export async function addUseAndChoice({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema.alterTable("versions").addColumn("read_at", "bigint").execute();
  await schema.alterTable("libraries").addColumn("chosen_json", text).execute();
}

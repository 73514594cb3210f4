import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** When each version was last read, and titles that people chose. */
export async function addUseAndChoice({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema.alterTable("versions").addColumn("read_at", "bigint").execute();
  await schema.alterTable("libraries").addColumn("chosen_json", text).execute();
}

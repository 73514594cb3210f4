import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** What is wrong with what is stored of a generation. */
export async function addDamage({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema.alterTable("generations").addColumn("damage", text).execute();
}

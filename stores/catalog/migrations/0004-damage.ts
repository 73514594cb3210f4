import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the damage of stored generations. */
export async function addDamage({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema.alterTable("generations").addColumn("damage", text).execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds policies and rules of teamspaces, and licences of libraries, which policies use. */
export async function addPolicies(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("teamspaces").addColumn("policy_json", text).execute();
  await db.schema.alterTable("teamspaces").addColumn("rules_json", text).execute();
  await db.schema
    .alterTable("teamspaces")
    .addColumn("policy_revision", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("libraries").addColumn("licences_json", text).execute();
}

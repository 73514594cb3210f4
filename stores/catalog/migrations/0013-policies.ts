import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Teamspaces have a policy and rules, and libraries the licences that a policy asks for. */
export async function addPolicies(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("teamspaces").addColumn("policy_json", text).execute();
  await db.schema.alterTable("teamspaces").addColumn("rules_json", text).execute();
  await db.schema
    .alterTable("teamspaces")
    .addColumn("policy_revision", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("libraries").addColumn("licences_json", text).execute();
}

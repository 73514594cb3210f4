import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds access rules of teamspaces, grants to groups of the issuer, and users and groups of keys. */
export async function addAccess(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .alterTable("teamspaces")
    .addColumn("access_revision", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("teamspaces")
    .addColumn("access_default", text, (column) => column.notNull().defaultTo("allow"))
    .execute();
  for (const column of ["subject", "groups_json"]) await db.schema.alterTable("keys").addColumn(column, text).execute();
  await db.schema
    .createTable("access_rules")
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("folded_library", text, (column) => column.notNull())
    .addColumn("library", text, (column) => column.notNull())
    .addColumn("users_json", text, (column) => column.notNull())
    .addColumn("groups_json", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("access_rules_key", ["teamspace", "folded_library"])
    .execute();
  await db.schema
    .createTable("group_grants")
    .addColumn("group_name", text, (column) => column.notNull())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("scope", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("group_grants_key", ["group_name", "teamspace"])
    .execute();
}

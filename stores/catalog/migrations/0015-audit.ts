import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the audit log, without foreign keys, as records outlive keys, libraries and teamspaces. */
export async function addAudit(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .createTable("audit")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("action", text, (column) => column.notNull())
    .addColumn("target", text)
    .addColumn("key_id", text)
    .addColumn("subject", text)
    .addColumn("teamspace", text)
    .addColumn("address", text, (column) => column.notNull())
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("code", text)
    .addColumn("request_id", text)
    .execute();
  await db.schema.createIndex("audit_at").on("audit").columns(["at", "id"]).execute();
  await db.schema.createIndex("audit_teamspace").on("audit").columns(["teamspace", "at", "id"]).execute();
  await db.schema.createIndex("audit_key").on("audit").columns(["key_id", "at", "id"]).execute();
  await db.schema.createIndex("audit_target").on("audit").columns(["target", "at", "id"]).execute();
}

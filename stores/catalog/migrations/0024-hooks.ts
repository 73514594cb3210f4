import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds hooks, which hosts call, their latest deliveries, and the time of the last change that a host reported of a version. */
export async function addHooks({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("hooks")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("sender", text, (column) => column.notNull())
    .addColumn("library_uid", text, (column) => column.references("libraries.uid").onDelete("cascade"))
    .addColumn("prefix", text)
    .addColumn("sealed", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("delivered_at", "bigint")
    .addColumn("result", text)
    .execute();
  await schema.createIndex("hooks_of_teamspace").on("hooks").column("teamspace").execute();
  await schema
    .createTable("hook_deliveries")
    .addColumn("hook", text, (column) => column.notNull().references("hooks.id").onDelete("cascade"))
    .addColumn("delivery", text, (column) => column.notNull())
    .addColumn("received_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("hook_deliveries_key", ["hook", "delivery"])
    .execute();
  await schema.createIndex("hook_deliveries_received").on("hook_deliveries").column("received_at").execute();
  await schema.alterTable("versions").addColumn("pushed_at", "bigint").execute();
  await schema
    .createIndex("versions_pushed")
    .on("versions")
    .column("pushed_at")
    .where("pushed_at", "is not", null)
    .execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds receivers with their waiting notifications, and when credentials expire. */
export async function addReceivers({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("receivers")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("url", text, (column) => column.notNull())
    .addColumn("events_json", text, (column) => column.notNull())
    .addColumn("sealed", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("failures", "integer", (column) => column.notNull())
    .addColumn("failing_since", "bigint")
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .addColumn("delivered_at", "bigint")
    .addColumn("result", text)
    .addColumn("disabled_at", "bigint")
    .execute();
  await schema.createIndex("receivers_of_teamspace").on("receivers").column("teamspace").execute();
  await schema
    .createTable("notifications")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("receiver", text, (column) => column.notNull().references("receivers.id").onDelete("cascade"))
    .addColumn("body", text, (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("notifications_due").on("notifications").column("due_at").execute();
  await schema.createIndex("notifications_of_receiver").on("notifications").column("receiver").execute();
  await schema.alterTable("credentials").addColumn("expires_at", "bigint").execute();
  await schema.alterTable("credentials").addColumn("noticed_days", "integer").execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds usage metrics of libraries: totals, days, users of agents, topics and countries. */
export async function addMetrics({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  const ofLibrary = (table: string) =>
    schema
      .createTable(table)
      .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"));
  await ofLibrary("metrics_days")
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("surface", text, (column) => column.notNull())
    .addColumn("answers", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("metrics_days_key", ["library_uid", "day", "surface"])
    .execute();
  await schema.createIndex("metrics_days_by_day").on("metrics_days").column("day").execute();
  for (const counted of ["surface", "topic", "country"])
    await ofLibrary(`metrics_of_${counted}`)
      .addColumn(counted, text, (column) => column.notNull())
      .addColumn("answers", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint(`metrics_of_${counted}_key`, ["library_uid", counted])
      .execute();
  await ofLibrary("metrics_users")
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("client", text, (column) => column.notNull())
    .addColumn("user_hash", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("metrics_users_key", ["library_uid", "day", "client", "user_hash"])
    .execute();
  await schema.createIndex("metrics_users_by_day").on("metrics_users").column("day").execute();
  await ofLibrary("metrics_clients")
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("client", text, (column) => column.notNull())
    .addColumn("users", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("metrics_clients_key", ["library_uid", "day", "client"])
    .execute();
  await schema.createIndex("metrics_clients_by_day").on("metrics_clients").column("day").execute();
  // The salt is null once the day is closed.
  await schema
    .createTable("metrics_salts")
    .addColumn("day", text, (column) => column.primaryKey())
    .addColumn("salt", text)
    .execute();
  await schema
    .createTable("metrics_batches")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
}

import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds the agents that have connected, the last one of each caller. */
export async function addAgents({ schema }: Kysely<Schema>, text: TextType): Promise<void> {
  await schema
    .createTable("agents")
    .addColumn("teamspace", text, (column) => column.notNull())
    .addColumn("key_id", text, (column) => column.notNull())
    .addColumn("client", text, (column) => column.notNull())
    .addColumn("asked_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("agents_key", ["teamspace", "key_id"])
    .execute();
}

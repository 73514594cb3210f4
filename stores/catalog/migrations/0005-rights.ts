import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Adds titles of teamspaces, a row for every teamspace that owns something, and submitters and pending renames of libraries. */
export async function addRights(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .alterTable("teamspaces")
    .addColumn("title", text, (column) => column.notNull().defaultTo(""))
    .execute();
  await db
    .updateTable("teamspaces")
    .set(({ ref }) => ({ title: ref("id") }))
    .execute();
  for (const column of ["submitted_by_json", "pending_rename_json", "refused_renames_json"])
    await db.schema.alterTable("libraries").addColumn(column, text).execute();
  const owners = await db
    .selectFrom("keys")
    .select(["teamspace", "created_at"])
    .unionAll(db.selectFrom("libraries").select(["teamspace", "created_at"]).where("teamspace", "<>", ""))
    .orderBy("created_at")
    .execute();
  for (const { teamspace, created_at } of owners)
    await db
      .insertInto("teamspaces")
      .values({ id: teamspace, title: teamspace, created_at })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
}

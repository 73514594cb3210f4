import { sql, type Kysely } from "kysely";
import { chooseRefs, maxRefs } from "../../../domain/refs.ts";
import type { SourceRef } from "../../../domain/source.ts";
import { parse } from "../rows.ts";
import type { Schema, TextType } from "../schema.ts";

/** A list of refs shorter than this, in characters, is within the new limit. */
const shortList = maxRefs * 60;

/** Adds host, key and deaths of runs, and limits the refs kept of a source. */
export async function addBudgets(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema
    .alterTable("runs")
    .addColumn("deaths", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  for (const column of ["host", "key_id"]) await db.schema.alterTable("runs").addColumn(column, text).execute();
  // A covering index for the next turn, which is read whenever a run is requested, starts or ends; thousands may wait.
  await db.schema
    .createIndex("runs_turns")
    .on("runs")
    .columns(["host", "key_id", "priority", "deaths", "created_at", "lease_until"])
    .where(sql.ref("closed_at"), "is", null)
    .where(sql.ref("failure_json"), "is", null)
    .execute();
  // Older versions kept the owner of a run at an orderly stop, which does not count as a death.
  await db.updateTable("runs").set({ owner: null, lease_until: null }).where("closed_at", "is", null).execute();
  await db.schema
    .alterTable("refs")
    .addColumn("left_out", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  const long = await db
    .selectFrom("refs")
    .innerJoin("libraries", "libraries.uid", "refs.library_uid")
    .select(["uid", "id"])
    .where(sql<number>`length(refs_json)`, ">", shortList)
    .execute();
  for (const { uid, id } of long) await shorten(db, uid, id);
}

async function shorten(db: Kysely<Schema>, uid: string, id: string): Promise<void> {
  const { refs_json } = await db
    .selectFrom("refs")
    .select("refs_json")
    .where("library_uid", "=", uid)
    .executeTakeFirstOrThrow();
  const versions = await db
    .selectFrom("versions")
    .leftJoin("generations", "generations.id", "versions.live_generation")
    .select(["versions.ref", "generations.ref as live_ref"])
    .where("versions.library_uid", "=", uid)
    .execute();
  const named = versions.flatMap(({ ref, live_ref }) => [ref, live_ref].filter((name) => name !== null));
  const chooser = chooseRefs(id, new Set(named));
  for (const ref of parse<readonly SourceRef[]>(refs_json)) chooser.add(ref);
  const { refs, leftOut } = chooser.chosen();
  // Tags come first, as the catalog keeps them.
  const ordered = refs.toSorted((one, other) => Number(one.kind !== "tag") - Number(other.kind !== "tag"));
  await db
    .updateTable("refs")
    .set({ refs_json: JSON.stringify(ordered), left_out: leftOut })
    .where("library_uid", "=", uid)
    .execute();
}

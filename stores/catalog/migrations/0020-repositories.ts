import type { Kysely } from "kysely";
import { kindOf } from "../../../domain/kinds/index.ts";
import { parse } from "../rows.ts";
import type { Schema, TextType } from "../schema.ts";

/** Number of libraries per batch. */
const batchSize = 500;

/** Adds repositories named by packages, and current and former addresses of repositories. */
export async function addRepositories(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("libraries").addColumn("repository_json", text).execute();
  await db.schema
    .createTable("repositories")
    .addColumn("library_uid", text, (column) => column.notNull().references("libraries.uid").onDelete("cascade"))
    .addColumn("address", text, (column) => column.notNull())
    .addColumn("relation", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("repositories_pk", ["library_uid", "address", "relation"])
    .execute();
  await db.schema.createIndex("repositories_by_address").on("repositories").columns(["address", "relation"]).execute();
  for (let last = ""; ;) {
    const rows = await db
      .selectFrom("libraries")
      .select(["uid", "source_json"])
      .where("uid", ">", last)
      .where("redirect", "is", null)
      .orderBy("uid")
      .limit(batchSize)
      .execute();
    const addresses = rows.flatMap(({ uid, source_json }) => {
      const source = parse<Parameters<typeof kindOf>[0]>(source_json);
      const address = kindOf(source).repository?.(source);
      return address === undefined ? [] : [{ library_uid: uid, address, relation: "own" as const }];
    });
    if (addresses.length > 0) await db.insertInto("repositories").values(addresses).execute();
    if (rows.length < batchSize) return;
    last = rows.at(-1)?.uid ?? "";
  }
}

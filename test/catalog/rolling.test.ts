import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catalogMigrations, migrateCatalog } from "../../stores/catalog/migrations/index.ts";
import { openSqlite, sqliteSchema } from "../../stores/catalog/sqlite.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** The last migration of version 0.1.0, the first that rolling upgrades start from. */
const first = "0009-uploads";

interface Column {
  readonly type: string;
  readonly notnull: number;
  readonly hasDefault: boolean;
}

describe("a migration of the catalog's schema", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder.path, "catalog.sqlite");
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** Brings the schema up to a migration. */
  const migrateTo = async (last: string): Promise<void> => {
    const db = await openSqlite(file);
    const known = Object.entries(catalogMigrations).filter(([name]) => name <= last);
    await migrateCatalog(db, sqliteSchema, Object.fromEntries(known));
    await db.destroy();
  };
  const columns = (): Map<string, Column> => {
    const db = new DatabaseSync(file);
    const rows = db
      .prepare(
        "select t.name || '.' || c.name as name, c.type, c.\"notnull\", c.dflt_value is not null as hasDefault from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'kysely%'",
      )
      .all();
    db.close();
    return new Map(
      rows.map(({ name, type, notnull, hasDefault }) => [
        String(name),
        { type: String(type), notnull: Number(notnull), hasDefault: hasDefault === 1 },
      ]),
    );
  };
  /** Columns that are unique together, by table. */
  const unique = (): readonly string[] => {
    const db = new DatabaseSync(file);
    const rows = db
      .prepare(
        "select t.name || '(' || (select group_concat(i.name) from pragma_index_info(l.name) i) || ')' as name from sqlite_schema t, pragma_index_list(t.name) l where t.type = 'table' and l.\"unique\" = 1 and t.name not like 'kysely%'",
      )
      .all();
    db.close();
    return rows.map(({ name }) => String(name)).toSorted();
  };

  // During a rolling upgrade, processes of the previous version go on using the columns that they know.
  it.each(Object.keys(catalogMigrations).filter((name) => name > first))(
    "lets processes of the previous version go on: %s",
    async (name) => {
      await migrateTo(Object.keys(catalogMigrations).findLast((one) => one < name) ?? "");
      const [before, constraints] = [columns(), unique()];
      await migrateTo(name);
      const after = columns();
      for (const [column, was] of before) expect([column, after.get(column)]).toEqual([column, was]);
      const tables = new Set([...before.keys()].map((column) => column.split(".")[0]));
      for (const [column, { notnull, hasDefault }] of after) {
        if (before.has(column) || !tables.has(column.split(".")[0])) continue;
        expect({ column, written: notnull === 0 || hasDefault }).toEqual({ column, written: true });
      }
      const added = unique().filter((each) => !constraints.includes(each) && tables.has(each.split("(")[0]));
      expect(added).toEqual([]);
    },
  );
});

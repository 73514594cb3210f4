import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openCatalogRestore, withCatalogSnapshot } from "../../cli/catalog-copies.ts";
import type { CatalogRow } from "../../domain/backup.ts";
import { catalogMigrations } from "../../stores/catalog/migrations/index.ts";
import { migrationsOf } from "../../stores/catalog/refill.ts";
import { catalogTables, savedTables } from "../../stores/catalog/saved-tables.ts";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { migrationsFrom, schemaBefore } from "../support/older-schema.ts";
import { openEmptyCatalog } from "../support/empty-catalog.ts";
import { folderOfTest } from "../support/of-test.ts";

type Rows = Record<string, readonly CatalogRow[]>;

const names = Object.keys(catalogMigrations);

function inspect<T>(folder: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, "catalog.sqlite"));
  try {
    database.exec("pragma foreign_keys = off");
    return work(database);
  } finally {
    database.close();
  }
}

const tablesIn = (database: DatabaseSync): string[] =>
  database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'kysely_%' order by name")
    .all()
    .map(({ name }) => String(name));

const contentOf = (folder: string): Rows =>
  inspect(folder, (database) =>
    Object.fromEntries(
      tablesIn(database).map((name) => [
        name,
        // The order of columns depends on the way to a schema.
        database
          .prepare(`select * from ${name}`)
          .all()
          .map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
          .sort()
          .map((row) => Object.fromEntries(JSON.parse(row) as [string, string | number | null][])),
      ]),
    ),
  );

/** Values that need care: JSON in text, other scripts, whole and broken numbers. */
const odd: Readonly<Record<string, Readonly<Record<string, string | number | null>>>> = {
  libraries: {
    source_json: '{"kind":"git","url":"https://git.example.com/acme/gears"}',
    title: 'ünï "quoted"\n🔑\u2028',
    trust: 7.25,
  },
  generations: { state: "live", remove_after: null },
  runs: { closed_at: 3, removed_at: null },
  versions: { open_run: null },
  teamspaces: {},
};

/** What columns with foreign keys refer to. */
const references: Readonly<Record<string, string>> = { library_uid: "uid", hook: "id", receiver: "id" };

/** Adds two rows to every table, with each column filled. Rows refer to the library and the hook with the same number. */
function fill(database: DatabaseSync): void {
  for (const table of tablesIn(database)) {
    const columns = database.prepare(`select name, type from pragma_table_info(?)`).all(table);
    for (const number of [1, 2]) {
      const row = columns.map(({ name, type }) => {
        const given = odd[table]?.[String(name)];
        if (given !== undefined) return given;
        return String(type).toLowerCase() === "text" ? `${references[String(name)] ?? String(name)}-${number}` : number;
      });
      const marks = row.map(() => "?").join(", ");
      database.prepare(`insert into ${table} values (${marks})`).run(...row);
    }
  }
}

/** A catalog with something in every table, of this program or before a migration. */
async function filled(before?: string): Promise<string> {
  const folder = await folderOfTest();
  await (await openEmptyCatalog(join(folder, "catalog.sqlite"))).close();
  inspect(folder, (database) => {
    if (before !== undefined) database.exec(schemaBefore(before));
    fill(database);
  });
  return folder;
}

/** Saves a catalog in memory, and restores it into another folder. */
async function saveAndRestore(
  folder: string,
  applied = names,
): Promise<{ readonly to: string; readonly rows: number }> {
  const tables = inspect(folder, tablesIn).filter((name) => savedTables.includes(name));
  const inOrder = savedTables.filter((name) => tables.includes(name));
  const place = (dataDir: string) => ({ databaseUrl: null, dataDir });
  const saved = await withCatalogSnapshot(
    place(folder),
    async (snapshot) => {
      const rows: Record<string, CatalogRow[]> = {};
      for (const table of snapshot.tables) rows[table] = await Array.fromAsync(snapshot.rows(table));
      return { schema: snapshot.schema, rows };
    },
    { migrations: migrationsOf(applied), tables: inOrder },
  );
  const to = await folderOfTest();
  const restoring = await openCatalogRestore(place(to), {
    schema: saved.schema,
    tables: inOrder,
    rows: async function* (table) {
      // As in a backup.
      yield* JSON.parse(JSON.stringify(saved.rows[table])) as CatalogRow[];
    },
  });
  try {
    await restoring.requireEmpty();
    const rows = await restoring.restore();
    await expect(restoring.requireEmpty()).rejects.toThrow("The catalog has content");
    return { to, rows };
  } finally {
    await restoring.close();
  }
}

describe("a backup of the catalog", () => {
  it("saves every table, or says why not", async () => {
    const folder = await filled();
    expect(Object.keys(catalogTables).sort()).toEqual(inspect(folder, tablesIn));
    const unsaved = Object.entries(catalogTables).filter(([, saved]) => typeof saved === "string");
    expect(unsaved.map(([name]) => name)).toEqual(["hosts", "limits"]);
  });

  it("restores every row of every table", async () => {
    const folder = await filled();
    const { to, rows } = await saveAndRestore(folder);
    expect(rows).toBeGreaterThan(2 * savedTables.length);
    expect(contentOf(to)).toEqual({ ...contentOf(folder), hosts: [], limits: [] });
  });

  it("closes open runs as failed ones that are due, and leaves out what they stage and what is removed", async () => {
    const folder = await filled();
    inspect(folder, (database) =>
      database.exec(`update versions set open_run = 'id-2', retry_at = null where library_uid = 'uid-2';
        update runs set closed_at = null, outcome = null, failure_json = null where id = 'id-2';
        update generations set state = 'staged' where id = 'id-1';
        update generations set state = 'retired', remove_after = 5 where id = 'id-2'`),
    );
    const since = Date.now();
    const { to } = await saveAndRestore(folder);
    const { versions = [], runs = [], generations } = contentOf(to);
    expect(generations).toEqual([]);
    expect(runs).toMatchObject([{ closed_at: 3 }, { outcome: "failed", owner: null, journal_json: "{}" }]);
    expect(String(runs[1]?.["failure_json"])).toContain("It is tried again");
    expect(versions[1]).toMatchObject({ open_run: null, last_run: "id-2" });
    expect(versions[1]?.["retry_at"]).toBeGreaterThanOrEqual(since);
  });

  it.each(migrationsFrom("0002"))("of the schema before %s restores what its upgrade gives", async (first) => {
    const folder = await filled(first);
    const { to } = await saveAndRestore(
      folder,
      names.filter((name) => name < first),
    );
    await (await openSqliteCatalog({ file: join(folder, "catalog.sqlite") })).close();
    const upgraded = contentOf(folder);
    expect(contentOf(to)).toEqual({
      ...upgraded,
      ...(upgraded["hosts"] && { hosts: [] }),
      ...(upgraded["limits"] && { limits: [] }),
    });
  });
});

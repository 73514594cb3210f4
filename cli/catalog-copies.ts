import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { createRowsDigest } from "../activities/restore.ts";
import type { CatalogRow, CatalogSnapshot } from "../domain/backup.ts";
import type { AuditRecord } from "../domain/audit.ts";
import { Failure } from "../domain/failures.ts";
import { createAuditStore } from "../stores/catalog/audit.ts";
import { migrateCatalog, type SchemaDialect } from "../stores/catalog/migrations/index.ts";
import { migrationsOf, refillCatalog, requireEmpty, type SavedRows } from "../stores/catalog/refill.ts";
import type { Schema } from "../stores/catalog/schema.ts";
import { withPostgresSnapshot, withSqliteSnapshot } from "../stores/catalog/snapshot.ts";
import { openSqlite, sqliteSchema } from "../stores/catalog/sqlite.ts";
import type { Config } from "./config.ts";

/** Timeout of a statement of a restore, in milliseconds: its rows may come slowly. */
const timeout = 600_000;

/** Where a catalog is, by the settings. */
type CatalogPlace = Pick<Config, "databaseUrl" | "dataDir">;

const fileIn = (folder: string): string => join(folder, "catalog.sqlite");

/** Reads a snapshot of the catalog. @throws Failure validation_error if there is no catalog, internal_error, search_failed */
export async function withCatalogSnapshot<T>(
  { databaseUrl, dataDir }: CatalogPlace,
  work: (snapshot: CatalogSnapshot) => Promise<T>,
  options?: Parameters<typeof withSqliteSnapshot>[2],
): Promise<T> {
  if (databaseUrl !== null) return withPostgresSnapshot({ url: databaseUrl, name: "lectern backup" }, work, options);
  await access(fileIn(dataDir)).catch((cause: unknown) => {
    throw new Failure("validation_error", `There is no catalog in ${dataDir}. Set DATA_DIR to a data folder.`, {
      cause,
    });
  });
  return withSqliteSnapshot(fileIn(dataDir), work, options);
}

/** Adds an audit record to the catalog of a server, which may be running. @throws Failure if it cannot be written */
export async function addAuditRecord(place: CatalogPlace, record: AuditRecord): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const { db } = closing.adopt(await openDatabase(place, "lectern backup"), (opened) => opened.db.destroy());
  await createAuditStore(db).add(record);
}

/** Restores a catalog into an empty place, compares it with what was saved, and brings its schema up to date. */
export async function openCatalogRestore(place: CatalogPlace, saved: SavedRows) {
  const { db, dialect } = await openDatabase(place, "lectern restore");
  const toStored = place.databaseUrl === null ? (row: CatalogRow) => row : withoutNul;
  return {
    /** @throws Failure validation_error if the place is not empty */
    requireEmpty: () => requireEmpty(db, saved),
    /** Returns the number of rows. @throws Failure internal_error if what was written differs */
    async restore(): Promise<number> {
      const digests = new Map<string, string>();
      let rows = 0;
      await refillCatalog(db, dialect, {
        ...saved,
        async *rows(table) {
          const digest = createRowsDigest();
          for await (const row of saved.rows(table)) {
            rows += 1;
            const stored = toStored(row);
            digest.add(stored);
            yield stored;
          }
          digests.set(table, digest.digest());
        },
      });
      const { schema, tables } = saved;
      const differing = await withCatalogSnapshot(
        place,
        async (written) => {
          for (const table of tables) {
            const digest = createRowsDigest();
            for await (const row of written.rows(table)) digest.add(row);
            if (digest.digest() !== digests.get(table)) return table;
          }
          return undefined;
        },
        { migrations: migrationsOf(schema), tables },
      );
      if (differing !== undefined) {
        const message = `The table ${differing} of the restored catalog differs from the backup. Remove the catalog, check its disk or database, and restore again.`;
        throw new Failure("internal_error", message);
      }
      await migrateCatalog(db, dialect);
      return rows;
    },
    /** The encrypted texts in the catalog. */
    async sealed(): Promise<readonly string[]> {
      const tables = ["credentials", "hooks"] as const;
      const rows = await Promise.all(tables.map((table) => db.selectFrom(table).select("sealed").execute()));
      return rows.flat().map(({ sealed }) => sealed);
    },
    close: () => db.destroy(),
  };
}

async function openDatabase(
  { databaseUrl, dataDir }: CatalogPlace,
  name: string,
): Promise<{ readonly db: Kysely<Schema>; readonly dialect: SchemaDialect }> {
  if (databaseUrl === null) return { db: await openSqlite(fileIn(dataDir)), dialect: sqliteSchema };
  const { openPostgres, postgresSchema } = await import("../stores/catalog/postgres.ts");
  const options = { url: databaseUrl, name, poolSize: 1, statementTimeout: timeout };
  return { db: openPostgres(options), dialect: postgresSchema };
}

/** A row as PostgreSQL stores it, which has no NUL character in text. */
function withoutNul(row: CatalogRow): CatalogRow {
  if (!Object.values(row).some((value) => typeof value === "string" && value.includes("\0"))) return row;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value,
    ]),
  );
}

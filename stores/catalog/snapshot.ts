import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE } from "kysely/migration";
import type { CatalogRow, CatalogSnapshot } from "../../domain/backup.ts";
import { catalogMigrations, checkApplied, type Migrations } from "./migrations/index.ts";
import type { PostgresOptions } from "./postgres.ts";
import { savedAs, savedTables } from "./saved-tables.ts";
import { reaching } from "./sqlite.ts";

/** Rows that are read from PostgreSQL at once. */
const fetched = 1000;

/** Timeout of a statement, and of the pause between two, as what is read is uploaded meanwhile; in milliseconds. */
const timeout = 600_000;

/** How a snapshot is read. */
interface SnapshotOptions {
  /** Migrations that the schema has to have; by default those of this program. */
  readonly migrations?: Migrations;
  /** The tables to read; by default all that a backup saves. */
  readonly tables?: readonly string[];
}

/**
 * Reads a catalog in a SQLite file in one read transaction, which keeps nobody from writing.
 * @throws Failure internal_error if its schema is not that of this program
 */
export async function withSqliteSnapshot<T>(
  file: string,
  work: (snapshot: CatalogSnapshot) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> {
  const database = reaching(() => new DatabaseSync(file, { readOnly: true, timeout: 5000 }));
  try {
    const applied = reaching(() => {
      database.exec("begin");
      return database.prepare(`select name from ${DEFAULT_MIGRATION_TABLE} order by name`).all();
    }).map(({ name }) => String(name));
    const all = async function* (table: string): AsyncGenerator<CatalogRow> {
      const rows = database.prepare(`select * from ${table} order by ${savedAs(table).key.join(", ")}`).iterate();
      for (const row of rows) yield row as CatalogRow;
    };
    return await work(snapshotOf(applied, all, options));
  } finally {
    database.close();
  }
}

/**
 * Reads a catalog in PostgreSQL in one transaction of the isolation level REPEATABLE READ.
 * @throws Failure internal_error if its schema is not that of this program, search_failed if it cannot be reached
 */
export async function withPostgresSnapshot<T>(
  connection: Pick<PostgresOptions, "url" | "name">,
  work: (snapshot: CatalogSnapshot) => Promise<T>,
  options: SnapshotOptions = {},
): Promise<T> {
  const { openPostgres } = await import("./postgres.ts");
  const db = openPostgres({ ...connection, poolSize: 1, statementTimeout: timeout });
  try {
    const transaction = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    return await transaction.execute(async (trx) => {
      const applied = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`
        .execute(trx)
        .then(({ rows }) => rows.map(({ name }) => name));
      const all = async function* (table: string): AsyncGenerator<CatalogRow> {
        const key = sql.join(savedAs(table).key.map((column) => sql.ref(column)));
        await sql`declare saved no scroll cursor for select * from ${sql.table(table)} order by ${key}`.execute(trx);
        for (;;) {
          const { rows } = await sql<CatalogRow>`fetch ${sql.lit(fetched)} from saved`.execute(trx);
          yield* rows;
          if (rows.length < fetched) break;
        }
        await sql`close saved`.execute(trx);
      };
      return work(snapshotOf(applied, all, options));
    });
  } finally {
    await db.destroy();
  }
}

function snapshotOf(
  schema: readonly string[],
  all: (table: string) => AsyncIterable<CatalogRow>,
  { migrations = catalogMigrations, tables = savedTables }: SnapshotOptions,
): CatalogSnapshot {
  checkApplied(schema, migrations);
  const at = Date.now();
  return {
    at,
    schema,
    tables,
    async *rows(table) {
      const { row: toSaved = (row: CatalogRow) => row } = savedAs(table);
      for await (const row of all(table)) {
        const saved = toSaved(row, at);
        if (saved) yield saved;
      }
    },
  };
}

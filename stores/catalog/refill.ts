import { sql, type Insertable, type Kysely } from "kysely";
import type { CatalogRow } from "../../domain/backup.ts";
import { Failure } from "../../domain/failures.ts";
import {
  appliedMigrations,
  catalogMigrations,
  migrateWithin,
  refuseNewerSchema,
  type Migrations,
  type SchemaDialect,
} from "./migrations/index.ts";
import type { Schema } from "./schema.ts";

/** Maximum parameters of one statement, as databases limit them. */
const maxParameters = 30_000;

/** Rows of a backup, by table. */
export interface SavedRows {
  /** Names of the migrations of the backup's schema. */
  readonly schema: readonly string[];
  readonly tables: readonly string[];
  rows(table: string): AsyncIterable<CatalogRow>;
}

/** The migrations of a backup's schema. @throws Failure internal_error if a newer program made it */
export function migrationsOf(schema: readonly string[]): Migrations {
  refuseNewerSchema(schema, catalogMigrations);
  return Object.fromEntries(Object.entries(catalogMigrations).filter(([name]) => schema.includes(name)));
}

/** Refuses a database with content, other than an empty catalog of the backup's schema. @throws Failure validation_error */
export async function requireEmpty(db: Kysely<Schema>, saved: Pick<SavedRows, "schema" | "tables">): Promise<void> {
  const applied = await appliedMigrations(db);
  let isEmpty = applied.every((name) => saved.schema.includes(name));
  for (const table of applied.length > 0 && isEmpty ? saved.tables : []) {
    // Migrations add one.
    if (table === "teamspaces") continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    isEmpty &&= rows.length === 0;
  }
  if (isEmpty) return;
  const message =
    "The catalog has content. Restore into an empty one: name an empty folder in DATA_DIR, or a database without tables in DATABASE_URL.";
  throw new Failure("validation_error", message);
}

/**
 * Fills an empty database with the rows of a backup, all or none, in the schema of the program that made it. `migrateCatalog` brings them
 * up to date.
 */
export async function refillCatalog(db: Kysely<Schema>, dialect: SchemaDialect, saved: SavedRows): Promise<void> {
  const migrations = migrationsOf(saved.schema);
  await db.transaction().execute(async (trx) => {
    // In the same transaction: the first sweep of an empty catalog would remove the restored generations.
    await migrateWithin(trx, dialect, migrations);
    // Migrations have added the default teamspace.
    for (const table of saved.tables) await sql`delete from ${sql.table(table)}`.execute(trx);
    for (const table of saved.tables) {
      let batch: CatalogRow[] = [];
      const add = async (): Promise<void> => {
        if (batch.length > 0)
          await trx
            .insertInto(table as keyof Schema)
            .values(batch as unknown as Insertable<Schema[keyof Schema]>[])
            .execute();
        batch = [];
      };
      for await (const row of saved.rows(table)) {
        batch.push(row);
        if ((batch.length + 1) * Object.keys(row).length > maxParameters) await add();
      }
      await add();
    }
  });
}

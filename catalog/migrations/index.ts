import type { Kysely } from "kysely";
import { DEFAULT_MIGRATION_TABLE, Migrator } from "kysely/migration";
import { Failure } from "../../domain/failures.ts";
import type { Schema } from "../schema.ts";
import { createFirstTables } from "./0001-catalog.ts";

/** Migrations by name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, (db: Kysely<Schema>) => Promise<void>>>;

/** Every migration that this program knows. */
export const catalogMigrations: Migrations = {
  "0001-catalog": createFirstTables,
};

/**
 * Brings the schema up to date, in one transaction: all of it is there afterwards, or what was there before. Several
 * programs may do so at once.
 * @throws Failure internal_error when a newer program made the schema
 */
export async function migrateCatalog(db: Kysely<Schema>, migrations: Migrations = catalogMigrations): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await refuseNewerSchema(trx, migrations);
    const provider = {
      getMigrations: async () =>
        Object.fromEntries(Object.entries(migrations).map(([name, up]) => [name, { up }] as const)),
    };
    const { error } = await new Migrator({ db: trx, provider }).migrateToLatest();
    if (error !== undefined) throw error;
  });
}

async function refuseNewerSchema(db: Kysely<Schema>, migrations: Migrations): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return;
  const applied = await db
    .withTables<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(DEFAULT_MIGRATION_TABLE)
    .select("name")
    .orderBy("name")
    .execute();
  const unknown = applied.find(({ name }) => !Object.hasOwn(migrations, name));
  if (!unknown) return;
  throw new Failure(
    "internal_error",
    `The catalog was made by a newer version of Lectern: it has the migration "${unknown.name}", which this one does not know. Start that version or a later one, or put back a backup from before the upgrade.`,
  );
}

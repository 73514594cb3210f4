import type { Kysely, Transaction } from "kysely";
import { DEFAULT_MIGRATION_TABLE, Migrator } from "kysely/migration";
import { Failure } from "../../../domain/failures.ts";
import type { Schema, TextType } from "../schema.ts";
import { createFirstTables } from "./0001-catalog.ts";
import { addUseAndChoice } from "./0002-versions-used.ts";
import { separateFollowedRevision } from "./0003-followed-revision.ts";
import { addDamage } from "./0004-damage.ts";
import { addRights } from "./0005-rights.ts";
import { addHosts } from "./0006-hosts.ts";
import { addCredentialKinds } from "./0007-credentials.ts";
import { addBudgets } from "./0008-budgets.ts";
import { addUploads } from "./0009-uploads.ts";
import { addTenants } from "./0010-tenants.ts";
import { addAnnouncing } from "./0011-announcing.ts";
import { addClaims } from "./0012-claims.ts";
import { addPolicies } from "./0013-policies.ts";
import { addLimits } from "./0014-limits.ts";
import { addAudit } from "./0015-audit.ts";
import { addAccess } from "./0016-access.ts";
import { addMetrics } from "./0017-metrics.ts";
import { addReputations } from "./0019-reputations.ts";
import { addRepositories } from "./0020-repositories.ts";
import { addEndedSessions } from "./0021-ended-sessions.ts";
import { addUnindexed } from "./0022-unindexed.ts";
import { addRetries } from "./0023-retries.ts";
import { addHooks } from "./0024-hooks.ts";
import { addAgents } from "./0025-agents.ts";
import { addManifests } from "./0026-manifests.ts";
import { addReceivers } from "./0027-receivers.ts";
import { addFeedback } from "./0029-feedback.ts";

/** The differences between the databases in migrations. */
export interface SchemaDialect {
  readonly text: TextType;
  /** Excludes other migrations until the transaction ends. */
  lock(trx: Transaction<Schema>): Promise<void>;
}

/** Migrations by name, which run in the order of their names. */
export type Migrations = Readonly<Record<string, (db: Kysely<Schema>, text: TextType) => Promise<void>>>;

/** All migrations of this program. */
export const catalogMigrations: Migrations = {
  "0001-catalog": createFirstTables,
  "0002-versions-used": addUseAndChoice,
  "0003-followed-revision": separateFollowedRevision,
  "0004-damage": addDamage,
  "0005-rights": addRights,
  "0006-hosts": addHosts,
  "0007-credentials": addCredentialKinds,
  "0008-budgets": addBudgets,
  "0009-uploads": addUploads,
  "0010-tenants": addTenants,
  "0011-announcing": addAnnouncing,
  "0012-claims": addClaims,
  "0013-policies": addPolicies,
  "0014-limits": addLimits,
  "0015-audit": addAudit,
  "0016-access": addAccess,
  "0017-metrics": addMetrics,
  "0019-reputations": addReputations,
  "0020-repositories": addRepositories,
  "0021-ended-sessions": addEndedSessions,
  "0022-unindexed": addUnindexed,
  "0023-retries": addRetries,
  "0024-hooks": addHooks,
  "0025-agents": addAgents,
  "0026-manifests": addManifests,
  "0027-receivers": addReceivers,
  "0029-feedback": addFeedback,
};

/**
 * Brings the schema up to date in one transaction. Several processes may do so at once.
 * @throws Failure internal_error if a newer program made the schema
 */
export async function migrateCatalog(
  db: Kysely<Schema>,
  dialect: SchemaDialect,
  migrations: Migrations = catalogMigrations,
): Promise<void> {
  await db.transaction().execute((trx) => migrateWithin(trx, dialect, migrations));
}

/** As `migrateCatalog`, in a transaction of the caller. */
export async function migrateWithin(
  trx: Transaction<Schema>,
  dialect: SchemaDialect,
  migrations: Migrations,
): Promise<void> {
  await dialect.lock(trx);
  const applied = await appliedMigrations(trx);
  refuseNewerSchema(applied, migrations);
  // The migrator reads the whole schema several times.
  if (Object.keys(migrations).every((name) => applied.includes(name))) return;
  const named = Object.entries(migrations).map(
    ([name, up]) => [name, { up: (within: Kysely<Schema>) => up(within, dialect.text) }] as const,
  );
  const provider = { getMigrations: async () => Object.fromEntries(named) };
  const { error } = await new Migrator({ db: trx, provider }).migrateToLatest();
  if (error !== undefined) throw error;
}

/** Checks that the schema is that of this program. @throws Failure internal_error if it is older or newer */
export async function checkSchema(db: Kysely<Schema>, migrations: Migrations = catalogMigrations): Promise<void> {
  checkApplied(await appliedMigrations(db), migrations);
}

/** Checks that the applied migrations are those of this program. @throws Failure internal_error if there are fewer or more */
export function checkApplied(applied: readonly string[], migrations: Migrations = catalogMigrations): void {
  refuseNewerSchema(applied, migrations);
  const missing = Object.keys(migrations).find((name) => !applied.includes(name));
  if (missing === undefined) return;
  throw new Failure(
    "internal_error",
    `The catalog's schema is not up to date: the migration "${missing}" is missing. Run "lectern setup" of this version, then start again.`,
  );
}

/** Names of the migrations that an existing schema lacks, in order; empty without a schema. */
export async function dueMigrations(
  db: Kysely<Schema>,
  migrations: Migrations = catalogMigrations,
): Promise<readonly string[]> {
  const applied = await appliedMigrations(db);
  return applied.length === 0 ? [] : Object.keys(migrations).filter((name) => !applied.includes(name));
}

/** Whether the database contains a catalog. */
export async function hasSchema(db: Kysely<Schema>): Promise<boolean> {
  return (await appliedMigrations(db)).length > 0;
}

/** Names of the applied migrations, in order. */
export async function appliedMigrations(db: Kysely<Schema>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
  const applied = await db
    .withTables<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(DEFAULT_MIGRATION_TABLE)
    .select("name")
    .orderBy("name")
    .execute();
  return applied.map(({ name }) => name);
}

/** @throws Failure internal_error if a newer program made the schema */
export function refuseNewerSchema(applied: readonly string[], migrations: Migrations): void {
  const unknown = applied.find((name) => !Object.hasOwn(migrations, name));
  if (unknown === undefined) return;
  throw new Failure(
    "internal_error",
    `The catalog was made by a newer version of Lectern: it has the migration "${unknown}", which this one does not know. Start that version or a later one, or restore a backup from before the upgrade.`,
  );
}

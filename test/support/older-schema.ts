import { catalogMigrations } from "../../stores/catalog/migrations/index.ts";

const dropColumns = (table: string, ...columns: readonly string[]): readonly string[] =>
  columns.map((column) => `alter table ${table} drop column ${column}`);
const dropTables = (...tables: readonly string[]): readonly string[] => tables.map((table) => `drop table ${table}`);

/** SQL (of SQLite) that reverts a migration. */
const undoing: Readonly<Record<string, readonly string[]>> = {
  "0002-versions-used": [...dropColumns("versions", "read_at"), ...dropColumns("libraries", "chosen_json")],
  "0003-followed-revision": dropColumns("versions", "followed_revision"),
  "0004-damage": dropColumns("generations", "damage"),
  "0005-rights": [
    ...dropColumns("teamspaces", "title"),
    ...dropColumns("libraries", "submitted_by_json", "pending_rename_json", "refused_renames_json"),
  ],
  "0006-hosts": dropTables("hosts"),
  "0007-credentials": ["drop index credentials_named", ...dropColumns("credentials", "kind", "name")],
  "0008-budgets": [
    "drop index runs_turns",
    ...dropColumns("runs", "deaths", "host", "key_id"),
    ...dropColumns("refs", "left_out"),
  ],
  "0009-uploads": dropColumns("libraries", "upload"),
  "0010-tenants": dropColumns("credentials", "tenant"),
  "0011-announcing": [...dropTables("misses"), ...dropColumns("runs", "attempt", "last_failure_json", "progress_at")],
  "0012-claims": dropColumns("libraries", "claims_json"),
  "0013-policies": [
    ...dropColumns("teamspaces", "policy_json", "rules_json", "policy_revision"),
    ...dropColumns("libraries", "licences_json"),
  ],
  "0014-limits": dropTables("limits"),
  "0015-audit": dropTables("audit"),
  "0016-access": [
    ...dropTables("access_rules", "group_grants"),
    ...dropColumns("teamspaces", "access_revision", "access_default"),
    ...dropColumns("keys", "subject", "groups_json"),
  ],
  "0017-metrics": dropTables(
    "metrics_days",
    "metrics_of_surface",
    "metrics_of_topic",
    "metrics_of_country",
    "metrics_users",
    "metrics_clients",
    "metrics_salts",
    "metrics_batches",
  ),
  "0019-reputations": [
    ...dropTables("samples"),
    "drop index libraries_by_homepage",
    ...dropColumns("libraries", "reputation_json", "score", "stars", "verified", "reputation_at", "homepage_host"),
  ],
  "0021-ended-sessions": dropTables("ended_sessions"),
  "0020-repositories": [...dropTables("repositories"), ...dropColumns("libraries", "repository_json")],
  "0022-unindexed": ["drop index generations_unindexed", ...dropColumns("generations", "unindexed_at")],
  "0026-manifests": dropTables("declarations", "manifests"),
  "0024-hooks": [
    ...dropTables("hook_deliveries", "hooks"),
    "drop index versions_pushed",
    ...dropColumns("versions", "pushed_at"),
  ],
  "0025-agents": dropTables("agents"),
  "0029-feedback": dropTables("feedback", "team_notes"),
  "0027-receivers": [
    ...dropTables("notifications", "receivers"),
    ...dropColumns("credentials", "expires_at", "noticed_days"),
  ],
  "0023-retries": ["drop index versions_retried", ...dropColumns("versions", "failed_runs", "retry_at")],
};

/** The migrations from `first` on. */
export const migrationsFrom = (first: string): readonly string[] =>
  Object.keys(catalogMigrations).filter((name) => name >= first);

/** SQL that restores the schema before a migration. */
export function schemaBefore(first: string): string {
  const taken = migrationsFrom(first)
    .toReversed()
    .flatMap((name) => {
      const statements = undoing[name];
      if (!statements) throw new Error(`Add the SQL that reverts ${name} to test/support/older-schema.ts.`);
      return statements;
    });
  return [...taken, `delete from kysely_migration where name >= '${first}'`].join("; ");
}

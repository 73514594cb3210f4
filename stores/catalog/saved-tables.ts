import type { Selectable } from "kysely";
import type { CatalogRow } from "../../domain/backup.ts";
import type { FailureRecord } from "../../domain/failures.ts";
import type { Schema } from "./schema.ts";

/** How a backup saves a table. */
interface SavedAs<Row> {
  /** The columns of its key, in whose order its rows are saved. */
  readonly key: readonly (keyof Row & string)[];
  /** What is saved of a row; undefined: nothing. `at` is the time of the backup. */
  readonly row?: (row: Row, at: number) => Row | undefined;
}

const interrupted: FailureRecord = {
  code: "run_interrupted",
  message: "The catalog was restored from a backup that was made during this run. It is tried again.",
};

/**
 * Every table of the catalog: how a backup saves it, or why it does not. Tables follow those that they refer to.
 * A run cannot go on in another place, as its temporary files and its history in Temporal are not saved: open runs are saved as failed ones
 * that are due to be tried again, and the generations that they stage are left out, like those that the sweep is about to remove.
 */
export const catalogTables: { readonly [Name in keyof Schema]: SavedAs<Selectable<Schema[Name]>> | string } = {
  teamspaces: { key: ["id"] },
  libraries: { key: ["uid"] },
  versions: {
    key: ["library_uid", "version"],
    row: (row, at) =>
      row.open_run === null ? row : { ...row, open_run: null, last_run: row.open_run, retry_at: row.retry_at ?? at },
  },
  refs: { key: ["library_uid"] },
  reads: { key: ["library_uid", "day"] },
  misses: { key: ["library_uid", "words"] },
  samples: { key: ["library_uid", "page_key"] },
  repositories: { key: ["library_uid", "address", "relation"] },
  generations: {
    key: ["id"],
    row: (row) => (row.state === "staged" || row.remove_after !== null ? undefined : row),
  },
  runs: {
    key: ["id"],
    row(row, at) {
      if (row.removed_at !== null) return undefined;
      if (row.closed_at !== null) return row;
      return {
        ...row,
        outcome: "failed",
        failure_json: row.failure_json ?? JSON.stringify(interrupted),
        closed_at: at,
        owner: null,
        lease_until: null,
        journal_json: "{}",
      };
    },
  },
  keys: { key: ["id"] },
  credentials: { key: ["id"] },
  access_rules: { key: ["teamspace", "folded_library"] },
  group_grants: { key: ["group_name", "teamspace"] },
  audit: { key: ["id"] },
  hooks: { key: ["id"] },
  hook_deliveries: { key: ["hook", "delivery"] },
  manifests: { key: ["teamspace", "name"] },
  declarations: { key: ["library_uid"] },
  receivers: { key: ["id"] },
  notifications: { key: ["id"] },
  feedback: { key: ["id"] },
  team_notes: { key: ["library_uid", "teamspace"] },
  ended_sessions: { key: ["id"] },
  agents: { key: ["teamspace", "key_id"] },
  metrics_days: { key: ["library_uid", "day", "surface"] },
  metrics_of_surface: { key: ["library_uid", "surface"] },
  metrics_of_topic: { key: ["library_uid", "topic"] },
  metrics_of_country: { key: ["library_uid", "country"] },
  metrics_users: { key: ["library_uid", "day", "client", "user_hash"] },
  metrics_clients: { key: ["library_uid", "day", "client"] },
  metrics_salts: { key: ["day"] },
  metrics_batches: { key: ["id"] },
  hosts: "Times of the next requests to hosts, milliseconds ahead.",
  limits: "Counts of requests in the current minute.",
};

/** Names of the saved tables, in the order in which they are restored. */
export const savedTables: readonly string[] = Object.entries(catalogTables).flatMap(([name, saved]) =>
  typeof saved === "string" ? [] : [name],
);

/** How a table is saved. @throws Error for a table that is not */
export function savedAs(name: string): SavedAs<CatalogRow> {
  const saved = savedTables.includes(name) && catalogTables[name as keyof Schema];
  if (!saved || typeof saved === "string") throw new Error(`The table ${name} is not saved.`);
  // A row of the catalog has only texts, numbers and nulls.
  return saved as unknown as SavedAs<CatalogRow>;
}

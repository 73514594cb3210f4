import type { Generated, RawBuilder } from "kysely";
import type { Scope, AccessRules } from "../../domain/access.ts";
import type { Kind } from "../../domain/kinds/index.ts";
import type { GenerationState } from "../../domain/ports.ts";
import type { Phase, RunOutcome, RunReason } from "../../domain/steps.ts";
import type { HookDeliveryRow, HookRow, NotificationRow, ReceiverRow } from "./schema-hooks.ts";
import type {
  AgentRow,
  AuditRow,
  FeedbackRow,
  MetricsBatchRow,
  MetricsClientRow,
  MetricsSaltRow,
  MetricsUserRow,
  MissRow,
  ReadsRow,
  TeamNoteRow,
} from "./schema-use.ts";

/** The type of a text column, which compares by bytes, so that both databases sort alike. */
export type TextType = "text" | RawBuilder<unknown>;

// The rows of both databases. Times are milliseconds since 1970; columns that end in _json hold JSON as text.

/** A teamspace, which owns keys, policies and private libraries. */
export interface TeamspaceRow {
  id: string;
  title: Generated<string>;
  created_at: number;
  /** Null: no restrictions. */
  policy_json: string | null;
  /** Null: none. */
  rules_json: string | null;
  /** Increased by every change of the policy or the rules. */
  policy_revision: Generated<number>;
  /** Counts the changes of its access rules. */
  access_revision: Generated<number>;
  /** The default for libraries without a rule. */
  access_default: Generated<AccessRules["otherwise"]>;
}

/** An access rule of a teamspace for a library or namespace. */
export interface AccessRuleRow {
  teamspace: string;
  folded_library: string;
  library: string;
  users_json: string;
  groups_json: string;
}

/** The scope of a group of the issuer in a teamspace. */
export interface GroupGrantRow {
  group_name: string;
  teamspace: string;
  scope: Scope;
  created_at: number;
}

export interface LibraryRow {
  uid: string;
  /** "" for a public library. */
  teamspace: string;
  /** As first submitted. */
  id: string;
  /** The ID folded by `foldId`; unique within the teamspace. */
  folded_id: string;
  title: string;
  /** The title folded by `foldId`, as databases fold letters differently. */
  folded_title: string;
  description: string;
  /** Its settings; null: none. */
  chosen_json: string | null;
  source_json: string;
  credential: string | null;
  redirect: string | null;
  trust: number | null;
  created_at: number;
  /** Null: nobody submitted it, or it is older than this column. */
  submitted_by_json: string | null;
  /** The rename that waits for an administrator. */
  pending_rename_json: string | null;
  /** IDs that an administrator refused; null: none. */
  refused_renames_json: string | null;
  /** Id of the upload that the library is read from. */
  upload: string | null;
  /** Names that manifests of packages claim; null: none. */
  claims_json: string | null;
  /** Null: not known. */
  licences_json: string | null;
  /** Null: not read yet. */
  reputation_json: string | null;
  /** Copied from the reputation, for lists; so are the next two. */
  score: number | null;
  stars: number | null;
  reputation_at: number | null;
  /** Host of the site that its repository names. */
  homepage_host: string | null;
  /** 0 or 1, set by an operator; null: not set. */
  verified: number | null;
  /** The repository that a package names; null: none. */
  repository_json: string | null;
}

/** An address of a repository: where a library is or was, or the one that a package names. */
export interface RepositoryRow {
  library_uid: string;
  /** In the form of `repositoryAddress`. */
  address: string;
  relation: "own" | "former" | "named";
}

/** A page of the sample of a library's pages. */
export interface SampleRow {
  library_uid: string;
  page_key: string;
}

export interface VersionRow {
  library_uid: string;
  version: string;
  ref: string | null;
  live_generation: string | null;
  open_run: string | null;
  last_run: string | null;
  checked_revision: string | null;
  followed_revision: string | null;
  refused_revision: string | null;
  checked_at: number | null;
  refresh_at: number | null;
  read_at: number | null;
  /** Number of consecutive failed runs. */
  failed_runs: Generated<number>;
  /** When the failed run is tried again, or the suspended one resumed. */
  retry_at: number | null;
  /** When a host last reported a change that no run has read; null: none. */
  pushed_at: number | null;
}

/** The kept refs of a library, in one row, as they are only read and replaced as a whole. */
export interface RefsRow {
  library_uid: string;
  refs_json: string;
  /** Number of refs of the source that are not kept. */
  left_out: Generated<number>;
}

/** Without a foreign key, as a generation outlives its library until the sweep has deleted its data. */
export interface GenerationRow {
  id: string;
  library_uid: string;
  version: string;
  state: GenerationState;
  revision: string;
  ref: string | null;
  options_hash: string;
  extractor: string;
  content_hash: string;
  counts_json: string;
  created_at: number;
  remove_after: number | null;
  damage: string | null;
  /** When the index was found to lack it; null: it does not. */
  unindexed_at: number | null;
}

/** A run is open while `closed_at` is null. */
export interface RunRow {
  id: string;
  library_uid: string;
  teamspace: string;
  library_id: string;
  version: string;
  reason: RunReason;
  generation: string | null;
  phase: Phase;
  progress_json: string;
  outcome: RunOutcome | null;
  failure_json: string | null;
  priority: number;
  created_at: number;
  started_at: number | null;
  closed_at: number | null;
  /** When its library was removed; the row stays for a while, for the engine. */
  removed_at: number | null;
  owner: string | null;
  lease_until: number | null;
  claims: number;
  /** Number of processes that died while executing it. */
  deaths: Generated<number>;
  /** Host that it reads from; null: none, or the run is older than this column. */
  host: string | null;
  /** Key that requested it; null: none. */
  key_id: string | null;
  /** Attempt of the current step, from 1. */
  attempt: Generated<number>;
  /** Failure of the last step attempt that was repeated. */
  last_failure_json: string | null;
  /** When its phase or one of its figures last changed. */
  progress_at: number | null;
  journal_json: string;
}

/** How a library manifest was last applied. */
export interface ManifestRow {
  teamspace: string;
  name: string;
  revision: string | null;
  applied_at: number;
  result: string;
  problems_json: string;
}

/** What a library manifest declares of a library. */
export interface DeclarationRow {
  library_uid: string;
  teamspace: string;
  manifest: string;
  /** 0 or 1. */
  made: number;
  location: string;
  fields_json: string;
  /** Null: none. */
  waiting_json: string | null;
}

export interface KeyRow {
  id: string;
  teamspace: string;
  name: string;
  hash: string;
  hint: string;
  scopes_json: string;
  libraries_json: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Null: the key acts for no user. */
  subject: string | null;
  /** Null: no groups. */
  groups_json: string | null;
}

export interface CredentialRow {
  id: string;
  teamspace: string;
  /** Null: `sealed` is a bare token for Git. */
  kind: Kind | null;
  /** "": the library's own credential. */
  name: string;
  host: string;
  tenant: string;
  sealed: string;
  created_at: number;
  expires_at: number | null;
  /** The latest notice of its expiry, in days before; null: none. */
  noticed_days: number | null;
}

export interface HostRow {
  host: string;
  /** Earliest time of the next request. */
  next_at: number;
}

/** A session that was ended by signing out. */
export interface EndedSessionRow {
  id: string;
  /** Expiry of its cookies. */
  until: number;
}

/** Requests to a bucket in the current window. */
export interface LimitRow {
  key: string;
  points: number;
  /** End of the window. */
  expire: number | null;
}

/** Number of answers of a library by some columns. Days are as in 2026-11-21, UTC. */
type AnswersRow<Column extends string> = { library_uid: string; answers: number } & Record<Column, string>;

/** Every table of the catalog. */
export interface Schema {
  hosts: HostRow;
  ended_sessions: EndedSessionRow;
  agents: AgentRow;
  teamspaces: TeamspaceRow;
  libraries: LibraryRow;
  versions: VersionRow;
  refs: RefsRow;
  reads: ReadsRow;
  misses: MissRow;
  feedback: FeedbackRow;
  team_notes: TeamNoteRow;
  samples: SampleRow;
  repositories: RepositoryRow;
  generations: GenerationRow;
  runs: RunRow;
  keys: KeyRow;
  credentials: CredentialRow;
  access_rules: AccessRuleRow;
  group_grants: GroupGrantRow;
  audit: AuditRow;
  hooks: HookRow;
  manifests: ManifestRow;
  declarations: DeclarationRow;
  hook_deliveries: HookDeliveryRow;
  receivers: ReceiverRow;
  notifications: NotificationRow;
  metrics_days: AnswersRow<"day" | "surface">;
  metrics_of_surface: AnswersRow<"surface">;
  metrics_of_topic: AnswersRow<"topic">;
  metrics_of_country: AnswersRow<"country">;
  metrics_users: MetricsUserRow;
  metrics_clients: MetricsClientRow;
  metrics_salts: MetricsSaltRow;
  metrics_batches: MetricsBatchRow;
  limits: LimitRow;
}

import type { AuditStore } from "./audit.ts";
import type { AccessStore, CredentialStore, KeyStore, TeamspaceStore } from "./catalog-access.ts";
import type { GenerationStore } from "./generation.ts";
import type { LibraryStore } from "./catalog-library-store.ts";
import type { RunStore } from "./catalog-runs.ts";
import type { FeedbackStore } from "./catalog-feedback.ts";
import type { HookStore } from "./catalog-hooks.ts";
import type { ManifestStore } from "./catalog-manifests.ts";
import type { ReceiverStore } from "./catalog-receivers.ts";
import type { MetricsStore } from "./metrics.ts";
import type { CatalogFigures } from "./telemetry.ts";

export type * from "./catalog-access.ts";
export type * from "./catalog-hooks.ts";
export type * from "./catalog-manifests.ts";
export type * from "./catalog-receivers.ts";
export { troubles } from "./catalog-libraries.ts";
export type * from "./catalog-libraries.ts";
export type * from "./catalog-library-store.ts";
export type * from "./catalog-runs.ts";
export type { GenerationRecord, GenerationState, GenerationStore, LiveGeneration, Rebuilding } from "./generation.ts";

/** Rate limits of hosts over all workers. Times are in milliseconds since 1970. */
export interface HostStore {
  /** Reserves the next request to a host, `interval` milliseconds after the previous one. Returns when it may be sent. */
  reserve(host: string, interval: number, now: number): Promise<number>;
  /** Postpones all requests to a host until a time, as the host asked. */
  postpone(host: string, until: number): Promise<void>;
  /** Removes hosts whose next request was due before a time. */
  forget(before: number): Promise<void>;
}

/** Sessions that ended before their cookies expire. Times are in milliseconds since 1970. */
export interface SessionStore {
  /** Ends a session whose cookies are valid until a time. Idempotent. */
  end(id: string, until: number): Promise<void>;
  isEnded(id: string): Promise<boolean>;
  /** Removes sessions whose cookies expired before a time. */
  forget(before: number): Promise<void>;
}

/** The last agent that connected over MCP with a key or as a signed-in user, or without either: then both IDs are "". */
export interface AgentRecord {
  readonly teamspace: string;
  readonly keyId: string;
  /** Name of the program, as it identifies itself. */
  readonly client: string;
  /** When it last connected, at most an hour too early; milliseconds since 1970. */
  readonly askedAt: number;
}

/** Agents that have connected. */
export interface AgentStore {
  /** Adds the agent, or replaces that of the same key. */
  note(agent: AgentRecord): Promise<void>;
  /** Those of teamspaces, the latest first; of one key only, if `keyId` is given. */
  list(teamspaces: readonly string[], limit: number, keyId?: string): Promise<readonly AgentRecord[]>;
  /** Removes agents that have not connected since a time. */
  forget(before: number): Promise<void>;
}

/** The relational store of everything that is not passages. Each method is one transaction. */
export interface Catalog {
  readonly libraries: LibraryStore;
  readonly runs: RunStore;
  readonly generations: GenerationStore;
  readonly teamspaces: TeamspaceStore;
  readonly keys: KeyStore;
  readonly access: AccessStore;
  readonly credentials: CredentialStore;
  readonly hosts: HostStore;
  readonly sessions: SessionStore;
  readonly feedback: FeedbackStore;
  readonly hooks: HookStore;
  readonly manifests: ManifestStore;
  readonly receivers: ReceiverStore;
  readonly agents: AgentStore;
  readonly audit: AuditStore;
  readonly metrics: MetricsStore;
  /** Figures of the whole deployment, for monitoring. */
  figures(now: number): Promise<CatalogFigures>;
  /** Counts requests over all processes; absent: the only process of the catalog counts in memory. */
  readonly limiter?: Limiter;
  /** Bytes on the server; absent: the catalog is a file of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  /** Resolves when the store responds. @throws Failure search_failed */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The state of a bucket. */
export interface LimiterState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
}

/**
 * Counts requests in windows of one minute, over all processes that share the store. A bucket's window begins with its first
 * request, and its limit is the same in all processes.
 */
export interface Limiter {
  /** Counts a request; the first `limit` of a window are allowed, also of concurrent ones. */
  take(bucket: string, limit: number): Promise<LimiterState>;
  /** The state that the next request would find, without counting it. */
  look(bucket: string, limit: number): Promise<LimiterState>;
  /** Removes windows that have ended, for all processes. */
  forget(): Promise<void>;
}

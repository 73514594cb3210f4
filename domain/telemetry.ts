import type { FailureCode } from "./failures.ts";
import type { Queue } from "./queues.ts";
import type { IndexingRequest, RunOutcome, StepName } from "./steps.ts";

/** A request that was answered. Nothing of it says what was asked. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the operation, such as `/api/v2/keys`; null where there is none. */
  readonly route: string | null;
  /** What was called by MCP, such as `tools/call query-docs`. */
  readonly called?: string | undefined;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds. */
  readonly duration: number;
  /** Which rate limit the request exceeded. */
  readonly limited?: string | undefined;
  /** W3C trace context of the client's span. */
  readonly traceparent?: string | undefined;
  /** The run that was started for it, or that it joined. */
  readonly runId?: string | undefined;
}

/** An attempt of a step that ended. Times are milliseconds since 1970. */
export interface StepAttempt {
  readonly name: StepName;
  readonly queue: Queue;
  readonly request: IndexingRequest;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it failed; null: it did not. */
  readonly failure: FailureCode | null;
}

/**
 * How a request to the upstream ended: `answered`; `refused` where it says something of the library, such as that it has none; `denied`
 * for 401, 402 and 403; `limited` for 429; `failed`, `invalid`, `slow`; `open` while it is down and `busy` where too much is asked at once, and it is not asked.
 */
export type UpstreamResult =
  | "answered"
  | "refused"
  | "denied"
  | "limited"
  | "failed"
  | "invalid"
  | "slow"
  | "open"
  | "busy";

/** A run that ended. Times are milliseconds since 1970. */
export interface EndedRun {
  readonly request: IndexingRequest;
  /** Kind of the library's source; null where the library is gone. */
  readonly kind: string | null;
  readonly outcome: RunOutcome;
  readonly failure: FailureCode | null;
  /** When it was opened. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** Where a process tells what it does. Telling is cheap and never fails. */
export interface Telemetry {
  answered(request: AnsweredRequest): void;
  attempted(step: StepAttempt): void;
  ended(run: EndedRun): void;
  /** The upstream was asked, for a time in milliseconds. */
  askedUpstream(operation: "search" | "context", result: UpstreamResult, duration: number): void;
  /** A sweep ended at this time. */
  swept(at: number): void;
}

/** What the catalog knows of the deployment as a whole. */
export interface CatalogFigures {
  readonly libraries: number;
  /** Libraries by what is the matter with them, in any version. */
  readonly troubles: Readonly<Record<string, number>>;
  /** Runs that wait for an engine or a worker. */
  readonly queued: number;
  /** Runs that are being executed. */
  readonly running: number;
  /** When the oldest run that waits was opened; null: none waits. */
  readonly queuedSince: number | null;
  /** Hosts that asked to be left alone for now, or that refused. */
  readonly postponedHosts: number;
}

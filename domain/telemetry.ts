import type { FailureCode } from "./failures.ts";
import type { Queue } from "./queues.ts";
import type { IndexingRequest, RunOutcome, StepName } from "./steps.ts";

/** An answered request, without its content. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the operation, such as `/api/v2/keys`; null where there is none. */
  readonly route: string | null;
  /** Method and tool of MCP, such as `tools/call query-docs`. */
  readonly called?: string | undefined;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The rate limit that the request exceeded. */
  readonly limited?: string | undefined;
  /** W3C trace context of the client's span. */
  readonly traceparent?: string | undefined;
  /** The run that it started or joined. */
  readonly runId?: string | undefined;
}

/** An attempt at a step that ended. Times are milliseconds since 1970. */
export interface StepAttempt {
  readonly name: StepName;
  readonly queue: Queue;
  readonly request: IndexingRequest;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null: it succeeded. */
  readonly failure: FailureCode | null;
}

/**
 * The outcome of a request to the upstream. `refused`: a failure about the library, such as library_not_found; `denied`: 401, 402
 * or 403; `limited`: 429; `open`: not sent, as the circuit breaker is open; `busy`: not sent, as too many are under way.
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

/**
 * How a question got its embedding, or did not, so that the table answered. `slow`: not within the deadline; `open`: not asked, as
 * the server has failed lately.
 */
export type EmbeddingResult = "answered" | "cached" | "slow" | "failed" | "open";

/** A run that ended. Times are milliseconds since 1970. */
export interface EndedRun {
  readonly request: IndexingRequest;
  /** Kind of the library's source; null: the library is gone. */
  readonly kind: string | null;
  readonly outcome: RunOutcome;
  readonly failure: FailureCode | null;
  /** When it was opened. */
  readonly createdAt: number;
  readonly endedAt: number;
}

/** Receives the telemetry of a process. Its methods are cheap and never throw. */
export interface Telemetry {
  answered(request: AnsweredRequest): void;
  attempted(step: StepAttempt): void;
  ended(run: EndedRun): void;
  /** A request to the upstream ended, after a time in milliseconds. */
  askedUpstream(operation: "search" | "context", result: UpstreamResult, duration: number): void;
  /** A question was embedded, or was not, after a time in milliseconds. */
  embedded(result: EmbeddingResult, duration: number): void;
  /** A sweep ended at this time. */
  swept(at: number): void;
}

/** A task queue of Temporal. */
export interface QueueState {
  readonly queue: Queue;
  /** Identities of its workers. */
  readonly workers: readonly string[];
  /** Number of waiting tasks. */
  readonly waiting: number;
}

/** Figures of the whole deployment, from the catalog. */
export interface CatalogFigures {
  readonly libraries: number;
  /** Number of libraries by trouble, in any version. */
  readonly troubles: Readonly<Record<string, number>>;
  /** Number of waiting runs. */
  readonly queued: number;
  readonly running: number;
  /** When the oldest waiting run was opened; null: none waits. */
  readonly queuedSince: number | null;
  /** Number of hosts with a pending Retry-After, or that refused. */
  readonly postponedHosts: number;
}

import type { FailureRecord } from "./failures.ts";
import type { Queue, Work } from "./queues.ts";
import type { Counts } from "./generation.ts";

/** What a run indexes. It only has references: no secrets and no content. */
export interface IndexingRequest {
  /** Also the ID of the generation that the run makes. */
  readonly runId: string;
  /** The catalog's own ID of the library, never used again after a deletion. */
  readonly libraryUid: string;
  readonly teamspace: string;
  readonly libraryId: string;
  /** "" for the default version. */
  readonly version: string;
  readonly reason: RunReason;
  /** An existing generation to load and publish; absent: the run makes one. */
  readonly generation?: string;
}

/** Why a run was started; `sweep` is a scheduled refresh, `push` one that a host requested. */
export type RunReason = "submit" | "refresh" | "version" | "publish" | "import" | "push" | "sweep";

/** Whether no person requested a run. */
export function isUnattended(reason: RunReason): boolean {
  return reason === "sweep" || reason === "push";
}

/** Phase of a run. */
export type Phase =
  | "queued"
  | "resolving"
  | "collecting"
  | "assessing"
  | "loading"
  | "publishing"
  | "announcing"
  | "retiring";

/** The live generation that a run saw when it began. */
export interface LiveGeneration {
  readonly generation: string;
  readonly contentHash: string;
}

export interface Resolved {
  /** Revision, options and extractor equal those of the live generation, which is not known to be damaged. */
  readonly unchanged: boolean;
  /** "" if it is unknown before reading. */
  readonly revision: string;
  /** Branch or tag; null: the source has none. */
  readonly ref: string | null;
  /** The submitted location of the source, or the one that its host redirected to. */
  readonly location: string;
  readonly live: LiveGeneration | null;
  /** The index lacks the live generation, which is reloaded if it stays live. */
  readonly unindexed?: true;
  /** Queue and timeout of `collect`; absent: those of `stepPolicies`. */
  readonly work?: Work;
}

export interface Collected {
  readonly generation: string;
  readonly contentHash: string;
  readonly revision: string;
  readonly counts: Counts;
  /** The live generation is damaged, and replaced even by equal content. */
  readonly heals?: true;
  /** Number of unread pages that need a browser. */
  readonly unrendered?: number;
  /** The revision, unknown before reading, is the refused one: nothing is published. */
  readonly refused?: true;
}

export interface Verdict {
  readonly verdict: "publish" | "hold";
  /** Why it is held. */
  readonly reason?: string;
}

/** How a run ended. */
export type RunOutcome = "published" | "unchanged" | "held" | "superseded" | "failed" | "cancelled";

export interface Conclusion {
  readonly outcome: RunOutcome;
  readonly failure?: FailureRecord;
  readonly revision?: string;
}

/** The steps of a run, each idempotent for the ID of the run. */
export interface IndexingSteps {
  /** Finds revision and refs, stores the refs, and determines whether anything changed. */
  resolve(input: { request: IndexingRequest }): Promise<Resolved>;
  /** Reads pages, extracts, and writes the generation to the BlobStore, manifest last. */
  collect(input: { request: IndexingRequest; resolved: Resolved }): Promise<Collected>;
  /** Reads the pages that need a browser, if `collect` found any, and rewrites the manifest with them. */
  render(input: { request: IndexingRequest; resolved: Resolved }): Promise<Collected>;
  /** Applies limits and the shrink guard. */
  assess(input: { request: IndexingRequest; resolved: Resolved; collected: Collected }): Promise<Verdict>;
  /** Loads the generation into the index and verifies the count. */
  load(input: { request: IndexingRequest; generation: string }): Promise<{ snippets: number }>;
  /** Makes the generation live, if library, run and live generation are unchanged. A new library is announced before. */
  publish(input: {
    request: IndexingRequest;
    generation: string;
    live: string | null;
  }): Promise<{ published: boolean }>;
  /** Updates the library's entry in the LibraryIndex. */
  announce(input: { request: IndexingRequest }): Promise<void>;
  /** Marks generations beyond the kept ones for removal after the grace period. */
  retire(input: { request: IndexingRequest }): Promise<void>;
  /** Records how the run ended, and closes it. Executed for cancelled runs too. */
  conclude(input: { request: IndexingRequest; conclusion: Conclusion }): Promise<void>;
}

export type StepName = keyof IndexingSteps;

/** How an engine executes a step. Times are in milliseconds. */
export interface StepPolicy {
  readonly queue: Queue;
  /** Summary in Temporal's Web UI. */
  readonly summary: string;
  /** An attempt that takes longer fails as `timeout`. */
  readonly timeout: number;
  /** Heartbeat timeout; null: the step sends no heartbeats. */
  readonly heartbeat: number | null;
  /** Maximum attempts; only retryable failures are retried. */
  readonly attempts: number;
}

const minute = 60_000;

/** The retry and timeout policy of each step, for both engines. */
export const stepPolicies: Readonly<Record<StepName, StepPolicy>> = {
  resolve: { queue: "main", summary: "Find the revision", timeout: 2 * minute, heartbeat: null, attempts: 3 },
  collect: {
    queue: "git",
    summary: "Read pages and extract passages",
    timeout: 120 * minute,
    heartbeat: 2 * minute,
    attempts: 3,
  },
  render: {
    queue: "browser",
    summary: "Read pages that need a browser",
    timeout: 120 * minute,
    heartbeat: 2 * minute,
    attempts: 3,
  },
  assess: { queue: "main", summary: "Check limits and loss", timeout: minute, heartbeat: null, attempts: 3 },
  load: {
    queue: "load",
    summary: "Load the generation into the index",
    timeout: 60 * minute,
    heartbeat: 2 * minute,
    attempts: 5,
  },
  publish: { queue: "main", summary: "Publish the generation", timeout: minute, heartbeat: null, attempts: 5 },
  announce: { queue: "main", summary: "Update the library index", timeout: minute, heartbeat: null, attempts: 5 },
  retire: { queue: "main", summary: "Retire old generations", timeout: minute, heartbeat: null, attempts: 5 },
  conclude: { queue: "main", summary: "Record how the run ended", timeout: minute, heartbeat: null, attempts: 5 },
};

/** The policy of a step for its input: the kind of source decides about `collect`. */
export function policyOf(name: StepName, input: unknown): StepPolicy {
  const policy = stepPolicies[name];
  const { resolved } = input as { readonly resolved?: Resolved };
  const work = name === "collect" ? resolved?.work : undefined;
  return work === undefined ? policy : { ...policy, ...work };
}

/** Exponential backoff before an attempt (from 2), in milliseconds: 1 s, doubled each time, 30 s at most. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 2), 30_000);
}

/** Maximum number of retries of a step while a part of the deployment is unavailable: half an hour with `outageDelay`. */
export const maxOutages = 32;

/** Backoff before the next retry in an outage, in milliseconds: 5 s after the first failure, doubled each time, a minute at most. */
export function outageDelay(outages: number): number {
  return Math.min(5000 * 2 ** (outages - 1), 60_000);
}

/** Merges two reports of progress. Figures never decrease, as a step that begins again counts from 0; absent members stay. */
export function mergeProgress(before: Progress, after: Progress): Progress {
  const { answers: answersBefore, waiting: waitingBefore = null, ...figures } = before;
  const { answers: answersAfter, waiting = waitingBefore, ...more } = after;
  const answers = greatest(answersBefore ?? {}, answersAfter ?? {});
  return {
    ...greatest(figures, more),
    ...(Object.keys(answers).length > 0 && { answers }),
    ...(waiting && { waiting }),
  };
}

function greatest(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const all = { ...one, ...other };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Math.max(one[name] ?? 0, value)]));
}

/** Progress of a run. Figures are absent until they are known. */
export interface Progress {
  readonly pagesDone?: number;
  readonly pagesKnown?: number;
  readonly pagesFailed?: number;
  readonly snippets?: number;
  readonly bytes?: number;
  /** Passages in the index so far. */
  readonly loaded?: number;
  /** Number of responses of a website by HTTP status; "none" for no response. */
  readonly answers?: Readonly<Record<string, number>>;
  /** The host and request that it waits for, and since when nothing was received; null: none. */
  readonly waiting?: { readonly host: string; readonly request: string; readonly since: number } | null;
}

/** The interface between a step and its engine. */
export interface StepControl {
  /** Aborts when the step has to stop. */
  readonly signal: AbortSignal;
  /** Heartbeat with progress. It is cheap: the engine decides how often it is recorded. */
  report(progress: Progress): void;
}

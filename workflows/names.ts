import type { Counts } from "../domain/generation.ts";
import type { Queue } from "../domain/queues.ts";
import type { Phase, RunOutcome, RunReason } from "../domain/steps.ts";

/** Temporal's name of a queue of domain/queues.ts. */
export function taskQueue(queue: Queue): string {
  return `lectern-${queue}`;
}

/** Search attributes of runs in the Web UI. `lectern setup` creates them in the namespace; they are not encrypted. */
export const searchAttributes = {
  /** ID with version, such as /vitejs/vite@v5. */
  library: { name: "LecternLibrary", type: "KEYWORD" },
  /** Host of the source; its kind if it has no host. */
  source: { name: "LecternSource", type: "KEYWORD" },
  /** Phase of an open run, outcome of a closed one. */
  state: { name: "LecternState", type: "KEYWORD" },
} as const;

/** The facts of a run that the Web UI and the engine read without its history. */
export interface RunMemo {
  /** ID of the run in the catalog. */
  readonly runId: string;
  readonly reason: RunReason;
  /** Location of the source. */
  readonly source: string;
  /** As in 2026-11-21T10:00:00.000Z. */
  readonly startedAt: string;
  readonly phase: Phase;
  readonly revision?: string;
  /** Absent until pages were read. */
  readonly counts?: Pick<Counts, "pages" | "pagesFailed" | "code" | "info">;
  readonly outcome?: RunOutcome;
  /** Code of the failure that ended the run. */
  readonly failure?: string;
}

/** Timeouts of steps, in milliseconds. */
export const execution = {
  /** Heartbeat timeout: a step without a heartbeat for this time is retried on another worker. */
  lostAfter: 30_000,
  /** Time after a step's own timeout at which the server ends an attempt that its worker has not ended. */
  slack: 30_000,
} as const;

/** The policy of the sweep, for its workflow and its worker. */
export const sweepPolicy = {
  queue: "main",
  summary: "Remove due generations, restart stalled runs, start due refreshes",
  timeout: 3_600_000,
  heartbeat: 10 * 60_000,
  // The Schedule starts the next one.
  attempts: 1,
} as const;

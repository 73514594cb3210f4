import type { Counts } from "../domain/generation.ts";
import type { Queue } from "../domain/queues.ts";
import type { Phase, RunOutcome, RunReason } from "../domain/steps.ts";

/** The task queue of a queue of domain/steps.ts, as the Web UI shows it. */
export function taskQueue(queue: Queue): string {
  return `lectern-${queue}`;
}

/** What runs can be found by in the Web UI. `lectern setup` makes them in the namespace; they are not encrypted. */
export const searchAttributes = {
  /** ID with version, such as /vitejs/vite@v5. */
  library: { name: "LecternLibrary", type: "KEYWORD" },
  /** Host of the source; its kind where it has none. */
  source: { name: "LecternSource", type: "KEYWORD" },
  /** Phase of an open run, outcome of a closed one. */
  state: { name: "LecternState", type: "KEYWORD" },
} as const;

/** What the Web UI and the engine read of a run without its history. */
export interface RunMemo {
  /** The run of the catalog that is executed. */
  readonly runId: string;
  readonly reason: RunReason;
  /** Where the library is read from. */
  readonly source: string;
  /** As in 2026-11-21T10:00:00.000Z. */
  readonly startedAt: string;
  readonly phase: Phase;
  readonly revision?: string;
  /** Known once pages were read. */
  readonly counts?: Pick<Counts, "pages" | "pagesFailed" | "code" | "info">;
  readonly outcome?: RunOutcome;
  /** Code of the failure that ended the run. */
  readonly failure?: string;
}

/** How a step is executed by workers. Times are in milliseconds. */
export const execution = {
  /** Heartbeat timeout: a step without a heartbeat for this time is retried on another worker. */
  lostAfter: 30_000,
  /** How long after a step's own timeout the server ends an attempt that its worker did not end itself. */
  slack: 30_000,
} as const;

/** The sweep as a step: read by its workflow and by the worker. */
export const sweepPolicy = {
  queue: "main",
  summary: "Remove due generations, restart stalled runs, start due refreshes",
  timeout: 3_600_000,
  heartbeat: 10 * 60_000,
  // The next one comes by itself.
  attempts: 1,
} as const;

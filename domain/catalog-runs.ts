import type { FailureRecord } from "./failures.ts";
import type { Conclusion, IndexingRequest, Phase, Progress, RunOutcome, RunReason } from "./steps.ts";
import type { Turn } from "./turns.ts";

export interface RunRecord extends IndexingRequest {
  readonly state: "open" | "closed";
  readonly phase: Phase;
  readonly progress: Progress;
  readonly outcome: RunOutcome | null;
  /** Why it failed. Of an open run: why it is suspended, that is, not executed until an administrator resumes it. */
  readonly failure: FailureRecord | null;
  /** Higher first: requests of users before scheduled work. */
  readonly priority: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly closedAt: number | null;
  /** Attempt at its current step, from 1. */
  readonly attempt: number;
  /** Why the previous attempt at a step failed; null: no step was retried. */
  readonly lastFailure: FailureRecord | null;
  /** When its phase or a figure last changed; null: not since it was opened. */
  readonly progressAt: number | null;
}

export interface NewRun {
  readonly runId: string;
  readonly reason: RunReason;
  readonly priority: number;
  readonly generation?: string;
  /** The key that asked for it; absent: none. */
  readonly keyId?: string;
  /** Number of consecutive failed runs that this one retries; absent: none. */
  readonly failed?: number;
}

/** The open run of a version. `joined`: it was open already. */
export interface OpenedRun {
  readonly joined: boolean;
  readonly run: RunRecord;
}

/** How a run ended. */
export interface RunEnd extends Conclusion {
  /** The revision of the branch that was read in its place. */
  readonly followedRevision?: string | null;
}

/** Progress of a run; absent members stay as they were. */
export interface RunReport {
  readonly phase?: Phase;
  readonly progress?: Progress;
  /** Attempt at the current step, from 1. */
  readonly attempt?: number;
  /** Why the previous attempt failed. */
  readonly failure?: FailureRecord;
}

/** Runs, and the leases by which the in-process engine executes them. */
export interface RunStore {
  get(runId: string): Promise<RunRecord | undefined>;
  /** Opens a run, or joins the open one, which gets the higher priority. Undefined: library or version is gone. */
  open(uid: string, version: string, run: NewRun, now: number): Promise<OpenedRun | undefined>;
  /**
   * Records the progress of an open run. The first report sets its start, every change its last progress.
   * Absent figures stay, and none decreases, as a step may begin again.
   */
  report(runId: string, report: RunReport, now: number): Promise<void>;
  /** Closes the run, and plans a retry if it failed (`domain/scheduling.ts`). Closing it again changes nothing. */
  close(runId: string, end: RunEnd, now: number): Promise<void>;
  /** The runs of a library, latest first. */
  of(uid: string, limit: number): Promise<readonly RunRecord[]>;
  /** All open runs, oldest first. */
  openRuns(): Promise<readonly RunRecord[]>;

  // State of the in-process engine, with which it resumes after the process was killed.
  /** The first 200 turns among open runs without a lease that are not suspended. */
  waiting(now: number): Promise<readonly Turn[]>;
  /**
   * Leases the next open run (highest priority, then oldest) among those without a lease, of all or of one turn.
   * A suspended run is never claimed.
   */
  claim(owner: string, leaseUntil: number, now: number, turn?: Omit<Turn, "since">): Promise<ClaimedRun | undefined>;
  /**
   * Drops the leases of all other owners, which must be dead: only the process with the lock of the data folder may call
   * it. Counts a death for each of their runs, and suspends a run from `deaths` on, longer each time
   * (`domain/scheduling.ts`).
   */
  orphan(
    owner: string,
    suspension: { readonly deaths: number; readonly failure: FailureRecord },
    now: number,
  ): Promise<void>;
  /** Drops the leases of an owner that shuts down; its claims do not count. */
  release(owner: string): Promise<void>;
  /** Lets a suspended run be claimed again; `forgiven`: with no deaths counted. */
  resume(runId: string, how: { readonly forgiven: boolean }): Promise<void>;
  /** Extends the leases of an owner. */
  renew(owner: string, leaseUntil: number): Promise<void>;
  /** Replaces the journal: the results of finished steps, by name. */
  record(runId: string, journal: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  /** Results of finished steps, by name. */
  readonly journal: Readonly<Record<string, unknown>>;
  /** Number of claims of the run, this one included, without released ones. */
  readonly claims: number;
  /** The turn of the claim. */
  readonly turn: Turn;
}

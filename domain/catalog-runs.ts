import type { FailureRecord } from "./failures.ts";
import type { IndexingRequest, Phase, Progress, RunOutcome, RunReason } from "./steps.ts";
import type { Turn } from "./turns.ts";

export interface RunRecord extends IndexingRequest {
  readonly state: "open" | "closed";
  readonly phase: Phase;
  readonly progress: Progress;
  readonly outcome: RunOutcome | null;
  /** Why it failed; of an open run why it is suspended: it waits for an administrator, and is not executed. */
  readonly failure: FailureRecord | null;
  /** Higher runs first; requests of people before scheduled work. */
  readonly priority: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly closedAt: number | null;
  /** Of its current step, from 1. */
  readonly attempt: number;
  /** Why the last attempt of a step failed that was followed by another; null: none was. */
  readonly lastFailure: FailureRecord | null;
  /** When its phase or one of its figures was another than before; null: not since it was opened. */
  readonly progressAt: number | null;
}

export interface NewRun {
  readonly runId: string;
  readonly reason: RunReason;
  readonly priority: number;
  readonly generation?: string;
  /** The key that asks for it; absent: nobody's. */
  readonly keyId?: string;
}

/** What opening a run found. `joined`: one was open already, and `run` is that one. */
export interface OpenedRun {
  readonly joined: boolean;
  readonly run: RunRecord;
}

/** How a run ended. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly failure?: FailureRecord;
  /** The revision that it has seen to be what is live. */
  readonly revision?: string;
  /** That of the branch that was read in its place. */
  readonly followedRevision?: string | null;
}

/** Where a run is. What is absent stays as it was. */
export interface RunReport {
  readonly phase?: Phase;
  readonly progress?: Progress;
  /** Of the current step, from 1. */
  readonly attempt?: number;
  /** Why the attempt before failed. */
  readonly failure?: FailureRecord;
}

/** Runs, and the transactions by which they change what readers see. */
export interface RunStore {
  get(runId: string): Promise<RunRecord | undefined>;
  /**
   * Opens a run for the version, or joins the open one, which takes over the higher of both priorities.
   * Undefined where library or version is gone.
   */
  open(uid: string, version: string, run: NewRun, now: number): Promise<OpenedRun | undefined>;
  /**
   * Writes how far an open run is; the first report says when it started, and one that says anything new when it last got on.
   * Figures that a report does not name stay, and none goes back: a step may begin again.
   */
  report(runId: string, report: RunReport, now: number): Promise<void>;
  /** Closes the run. Closing it again changes nothing. */
  close(runId: string, end: RunEnd, now: number): Promise<void>;
  /** The runs of a library, the latest first. */
  of(uid: string, limit: number): Promise<readonly RunRecord[]>;
  /** All open runs, the oldest first. */
  openRuns(): Promise<readonly RunRecord[]>;

  // What the in-process engine keeps, so that a killed process goes on where it was.
  /** Open runs that nobody holds a lease on and that are not suspended, by whose turn it is; those of the first 200 turns. */
  waiting(now: number): Promise<readonly Turn[]>;
  /**
   * Takes the open run that is next (highest priority, then oldest) among those nobody holds a lease on, of all or of one turn.
   * A suspended run is never taken.
   */
  claim(owner: string, leaseUntil: number, now: number, turn?: Omit<Turn, "since">): Promise<ClaimedRun | undefined>;
  /**
   * Drops the leases of all other owners, who have died: only for one who knows that no other is alive, such as the holder of the
   * data folder. Each of their runs is counted a death, and suspended with the failure after so many.
   */
  orphan(owner: string, suspension: { readonly deaths: number; readonly failure: FailureRecord }): Promise<void>;
  /** Drops the leases of an owner who stops in order. */
  release(owner: string): Promise<void>;
  /** Lets a suspended run be taken again, as if it had never been. */
  resume(runId: string): Promise<void>;
  /** Extends the leases of an owner's runs. */
  renew(owner: string, leaseUntil: number): Promise<void>;
  /** Keeps what the steps returned that are done, by name, in place of what was kept before. */
  record(runId: string, journal: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  /** Results of the steps that are done, by name. */
  readonly journal: Readonly<Record<string, unknown>>;
  /** How often the run was claimed, this time included. */
  readonly claims: number;
  /** Whose turn it was. */
  readonly turn: Turn;
}

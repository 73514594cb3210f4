import type { AuditAction, AuditOutcome } from "../../domain/audit.ts";
import type { Verdict } from "../../domain/catalog-feedback.ts";
import type { FailureCode } from "../../domain/failures.ts";

// The rows of what is asked, done and said: reads, metrics, agents, the audit log, feedback and notes.

/** A question to a library that found nothing. */
export interface MissRow {
  library_uid: string;
  /** The words of the question. */
  words: string;
  times: number;
  asked_at: number;
}

export interface FeedbackRow {
  id: string;
  library_uid: string;
  version: string;
  verdict: Verdict;
  words: string;
  comment: string;
  /** "": the caller had no key. */
  teamspace: string;
  at: number;
}

/** What a teamspace notes on a library. */
export interface TeamNoteRow {
  teamspace: string;
  library_uid: string;
  text: string;
  changed_at: number;
}

/** The last agent that connected with a key; "" without one. */
export interface AgentRow {
  teamspace: string;
  key_id: string;
  client: string;
  asked_at: number;
}

/** A user of an agent on an open day. */
export interface MetricsUserRow {
  library_uid: string;
  day: string;
  client: string;
  user_hash: string;
}

/** Number of users of an agent on a closed day; "": all agents together. */
export interface MetricsClientRow {
  library_uid: string;
  day: string;
  client: string;
  users: number;
}

/** Salt of the user hashes of a day; null once the day is closed. */
export interface MetricsSaltRow {
  day: string;
  salt: string | null;
}

/** A batch that was added already. */
export interface MetricsBatchRow {
  id: string;
  at: number;
}

/** An administrative act or a submission. */
export interface AuditRow {
  id: string;
  at: number;
  action: AuditAction;
  target: string | null;
  key_id: string | null;
  subject: string | null;
  /** Teamspace of the caller. */
  teamspace: string | null;
  address: string;
  outcome: AuditOutcome;
  code: FailureCode | null;
  request_id: string | null;
}

/** Reads of a library on one day. */
export interface ReadsRow {
  library_uid: string;
  /** As in 2026-11-21, UTC. */
  day: string;
  reads: number;
}

import { day } from "./days.ts";
import type { FailureCode } from "./failures.ts";

/** The actions of audit records with their meaning. docs/guides/read-the-audit-log.md lists the same. */
export const auditActions = {
  "library.submit": "Submit a source",
  "library.preview": "Show what a submission would index",
  "library.refresh": "Refresh a library",
  "library.change": "Change a library",
  "library.delete": "Delete a library",
  "library.rollback": "Publish the previous generation again",
  "library.publish": "Publish or drop a held generation",
  "library.rename": "Accept or refuse a rename",
  "library.import": "Import an export, by `lectern import`",
  "backup.make": "Make a backup, by `lectern backup`",
  "library.note": "Change a teamspace's note on a library",
  "version.index": "Index a version by asking for it",
  "run.cancel": "Cancel the open run",
  "passages.release": "Release passages from quarantine, or put them back",
  "credential.create": "Make a shared credential",
  "credential.delete": "Delete a shared credential",
  "credential.test": "Try a shared credential",
  "manifest.apply": "Apply a library manifest",
  "hook.create": "Make a hook that hosts call",
  "hook.delete": "Delete a hook",
  "receiver.create": "Add a receiver of notifications",
  "receiver.test": "Send a receiver a test",
  "receiver.delete": "Delete a receiver",
  "key.create": "Make an API key",
  "key.revoke": "Revoke an API key",
  "teamspace.create": "Make a teamspace",
  "teamspace.delete": "Delete a teamspace",
  "teamspace.change": "Change the rules of a teamspace",
  "policy.change": "Change the policy of a teamspace",
  "access.change": "Change who of a teamspace reads which libraries",
  "group.grant": "Give a group of the issuer rights",
  "group.withdraw": "Withdraw the rights of a group",
  "payloads.decode": "Decrypt payloads of Temporal",
  "payloads.encode": "Encrypt payloads for Temporal",
} as const;

export type AuditAction = keyof typeof auditActions;

/**
 * How an act ended. `begun`: it is under way, or the process ended during it. `refused`: the caller or the request was at
 * fault, and nothing was done. `failed`: the server or a part of the deployment was at fault.
 */
export const auditOutcomes = ["begun", "done", "refused", "failed"] as const;

export type AuditOutcome = (typeof auditOutcomes)[number];

/** An administrative act or a submission. It holds no secret, no body and no query string. */
export interface AuditRecord {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: AuditAction;
  /** ID of the library, key, credential or teamspace; null: none, or unknown. */
  readonly target: string | null;
  /** ID of the caller's key, revoked and expired ones included; null: no known key. */
  readonly keyId: string | null;
  /** The user that signed in with the issuer; null: none. */
  readonly subject: string | null;
  /** The caller's teamspace; null for an unknown caller. */
  readonly teamspace: string | null;
  /** IP address of the client; `local` for commands on the server's machine. */
  readonly address: string;
  readonly outcome: AuditOutcome;
  /** The failure code where it was refused or failed, else null. */
  readonly code: FailureCode | null;
  /** ID of the request in the log; null: there was no request. */
  readonly requestId: string | null;
}

/** A filter of records; an absent member excludes nothing. */
export interface AuditFilter {
  /** Teamspace of the caller. */
  readonly teamspace?: string;
  /** Milliseconds since 1970, both inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly action?: AuditAction;
  readonly keyId?: string;
  readonly target?: string;
  readonly outcome?: AuditOutcome;
}

/** Which records are kept. */
export interface AuditRetention {
  /** Earlier records are removed; milliseconds since 1970. */
  readonly before: number;
  /** Maximum number of records of callers without a key, and of all. The oldest are removed first. */
  readonly withoutKey: number;
  readonly all: number;
}

/** The audit log. Only `end` changes a record. */
export interface AuditStore {
  add(record: AuditRecord): Promise<void>;
  /** Sets the end of an act that was `begun`. */
  end(id: string, end: Pick<AuditRecord, "target" | "outcome" | "code">): Promise<void>;
  /** A page of matching records, latest first. `cursor` is the `next` of the previous page. @throws Failure validation_error for any other */
  list(
    filter: AuditFilter,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly next: string | null }>;
  /** Removes records beyond the retention, and returns their number. */
  forget(retention: AuditRetention): Promise<number>;
}

/** Maximum number of kept records of callers without a key, who can make any number of them. */
const keptWithoutKey = 100_000;

/** Maximum number of kept records, about 300 MB. */
const keptInAll = 1_000_000;

/** The retention for a number of days. */
export function auditRetention(days: number, now: number): AuditRetention {
  return { before: now - days * day, withoutKey: keptWithoutKey, all: keptInAll };
}

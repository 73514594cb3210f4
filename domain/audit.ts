import type { FailureCode } from "./failures.ts";

/** Everything that is recorded, and what it means. docs/audit.md lists the same. */
export const auditActions = {
  "library.submit": "Submit a source",
  "library.preview": "Show what a submission would index",
  "library.refresh": "Refresh a library",
  "library.change": "Change a library",
  "library.delete": "Delete a library",
  "library.rollback": "Go back to the generation before",
  "library.publish": "Publish or drop a held generation",
  "library.rename": "Accept or refuse a rename",
  "library.import": "Take an export in, by `lectern import`",
  "version.index": "Have a version indexed by asking for it",
  "run.cancel": "Cancel the open run",
  "passages.release": "Release passages from quarantine, or take that back",
  "credential.create": "Make a shared credential",
  "credential.delete": "Delete a shared credential",
  "credential.test": "Try a shared credential",
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
 * How an act ended. `begun`: it is under way, or the process ended before it was over. `refused`: nothing was done, and the caller or
 * the request is why. `failed`: the server, or something that it needs, is.
 */
export const auditOutcomes = ["begun", "done", "refused", "failed"] as const;

export type AuditOutcome = (typeof auditOutcomes)[number];

/** An administrative act or a submission. It holds no secret, no body and no query string. */
export interface AuditRecord {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: AuditAction;
  /** ID of the library, key, credential or teamspace that it is done to, as far as it is known; null: none. */
  readonly target: string | null;
  /** ID of the caller's key, also of one that was revoked or has expired; null: none that is known. */
  readonly keyId: string | null;
  /** The issuer's user, where there is one. */
  readonly subject: string | null;
  /** The caller's; null where it is not known who calls. */
  readonly teamspace: string | null;
  /** IP address of the client; `local` for commands on the server's machine. */
  readonly address: string;
  readonly outcome: AuditOutcome;
  /** Why it was refused or failed; null: neither. */
  readonly code: FailureCode | null;
  /** By which the log names the request; null: there was none. */
  readonly requestId: string | null;
}

/** Which records are meant; what is absent excludes nothing. */
export interface AuditFilter {
  /** Of its callers only. */
  readonly teamspace?: string;
  /** Milliseconds since 1970, both included. */
  readonly since?: number;
  readonly until?: number;
  readonly action?: AuditAction;
  readonly keyId?: string;
  readonly target?: string;
  readonly outcome?: AuditOutcome;
}

/** What is kept of the records. */
export interface AuditRetention {
  /** Records from before go; milliseconds since 1970. */
  readonly before: number;
  /** Records that are kept at most, of callers without a key, and in all. The oldest go first. */
  readonly withoutKey: number;
  readonly all: number;
}

/** The records of who did what. Nothing changes one but its end. */
export interface AuditStore {
  add(record: AuditRecord): Promise<void>;
  /** Ends an act that was `begun`. */
  end(id: string, end: Pick<AuditRecord, "target" | "outcome" | "code">): Promise<void>;
  /** The records that are meant, the latest first. `cursor` is the `next` of the page before. @throws Failure validation_error for any other */
  list(
    filter: AuditFilter,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly next: string | null }>;
  /** Removes what is not kept, and answers how many. */
  forget(retention: AuditRetention): Promise<number>;
}

/** Records kept at most, of callers without a key: they cost nothing to make. */
const keptWithoutKey = 100_000;

/** Records kept at most in all, about 300 MB. */
const keptInAll = 1_000_000;

const dayLength = 86_400_000;

/** What is kept for so many days. */
export function auditRetention(days: number, now: number): AuditRetention {
  return { before: now - days * dayLength, withoutKey: keptWithoutKey, all: keptInAll };
}

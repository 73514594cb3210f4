import { defaultTeamspace, hasScope, isFor, isWithin, missingScope, visibleTeamspaces } from "./access.ts";
import type { Caller, Scope } from "./access.ts";
import { isReached } from "./access-rules.ts";
import type { AccessRules } from "./access-rules.ts";
import { Failure } from "./failures.ts";
import type { FailureRecord } from "./failures.ts";
import type { KeyRecord } from "./ports.ts";

/** What an action is done to. Nothing of it is given where that is the server itself. */
export interface Subject {
  /** Owner of a library, of keys or of credentials; "" for a public library. */
  readonly teamspace?: string;
  /** ID of a library, or the one that it is to have. */
  readonly id?: string;
  /** Key that submitted the library. */
  readonly submitter?: string | undefined;
  /** The same with its teamspace. */
  readonly submittedBy?: { readonly teamspace: string } | null;
  /** Patterns that a key is limited to. */
  readonly libraries?: readonly string[];
}

/** Who does an action, beyond having a key with its scope. */
interface Rule {
  /** The scope that the key needs; null: none, and no key either. */
  readonly scope: Scope | null;
  /**
   * `members`: those who see the library, which is everybody where it is public. `owners`: those of the teamspace that owns
   * the library, the keys or the credentials; of a public library, and of what other teamspaces own, the instance's
   * administrators. `team`: the keys of those teamspaces, and of a public library of the one whose key submitted it. `instance`: the instance's administrators. `submitter`: the key that submitted the library, and owners.
   */
  readonly by: "members" | "owners" | "team" | "instance" | "submitter";
  /** What a key is told whose patterns leave the library out; by default, that there is none. */
  readonly leftOut?: "access_denied";
  /** Concerns the whole server, or all libraries of a teamspace: a key that is limited to some is not enough. */
  readonly whole?: true;
}

/** Everything that callers do, and who may. docs/operations.md has the same as prose. */
const actions = {
  /** Answers, search, lists, status and pages of a library. */
  "library.read": { scope: null, by: "members" },
  /** Seeing how a library is used. */
  "library.metrics": { scope: "read", by: "team" },
  /** Adding a library. Nothing is looked up for an ID that the key is not for, so the answer may say so. */
  "library.submit": { scope: "submit", by: "members", leftOut: "access_denied" },
  /** Starting runs that read its source, for known versions and new ones. */
  "library.refresh": { scope: "submit", by: "members" },
  /** Replacing the uploaded file that it is read from. */
  "library.replace": { scope: "submit", by: "submitter" },
  /** Giving the ID of a library that failed to another one, from another source or with other options. */
  "library.takeOver": { scope: "submit", by: "submitter" },
  /** Replacing the token that its source is read with. */
  "library.token": { scope: "submit", by: "owners" },
  /** Changing, deleting, cancelling, publishing, rolling back, redirecting, renaming, and seeing where it lies on the disk. */
  "library.change": { scope: "admin", by: "owners" },
  /** Adding a library of a folder on the server's disk. */
  "folder.submit": { scope: "admin", by: "instance", leftOut: "access_denied" },
  /** Adding a package of a registry that is read with the server's own credentials. */
  "registry.submit": { scope: "admin", by: "instance", leftOut: "access_denied" },
  /** Making, listing and revoking keys. */
  keys: { scope: "admin", by: "owners" },
  /** Who of a teamspace may read which libraries. */
  access: { scope: "admin", by: "owners", whole: true },
  /** What the groups of the issuer may do, and in which teamspace. */
  groups: { scope: "admin", by: "instance", whole: true },
  /** Making, listing, testing and deleting credentials that libraries share. */
  credentials: { scope: "admin", by: "owners", whole: true },
  /** Having a library of the teamspace read with one of them. */
  "credential.use": { scope: "submit", by: "owners" },
  /** Making, listing and deleting teamspaces. */
  teamspaces: { scope: "admin", by: "instance", whole: true },
  /** Changing the policy and the rules of a teamspace, and reading those of another one. */
  policies: { scope: "admin", by: "owners", whole: true },
  /** Seeing who did what: of the callers of a teamspace, or of all. */
  audit: { scope: "admin", by: "owners", whole: true },
  /** Decrypting what Temporal stores of all runs. */
  payloads: { scope: "admin", by: "instance", whole: true },
  /** Reading the metrics of a process. */
  scrape: { scope: "admin", by: "instance", whole: true },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof actions;

/**
 * Who may do what: the one decision about rights.
 * @throws Failure invalid_api_key without a key; forbidden, access_denied or library_not_found where the key does not permit it
 */
export function authorize(caller: Caller, action: Action, subject: Subject = {}): void {
  const refusal = refusalOf(caller, action, subject);
  if (!refusal) return;
  const byRule = subject.id !== undefined && caller.reach !== undefined && !isReached(caller.reach, subject.id);
  throw new Failure(refusal.code, refusal.message, byRule ? { byRule } : {});
}

/** True where `authorize` lets the caller. */
export function may(caller: Caller, action: Action, subject: Subject = {}): boolean {
  return refusalOf(caller, action, subject) === undefined;
}

/** The holder of a key, which is neither revoked nor expired. */
export function callerOf({ id, teamspace, scopes, libraries, subject }: KeyRecord): Caller {
  return { keyId: id, teamspace, scopes, libraries, ...(subject !== undefined && { subject }) };
}

/** The caller, held to the rules of a teamspace; its administrators are not, as they make them. Undefined: there is no such teamspace. */
export function heldTo(access: AccessRules | undefined, caller: Caller, groups: readonly string[] = []): Caller {
  if (hasScope(caller, "admin")) return caller;
  const rules = access ?? { revision: "", otherwise: "deny", rules: new Map() };
  if (rules.rules.size === 0 && rules.otherwise === "allow") return caller;
  return { ...caller, reach: { access: rules, user: caller.subject, groups } };
}

/** True once a key has expired. Both times are milliseconds since 1970. */
export function isExpired({ expiresAt }: Pick<KeyRecord, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** The same words whether the library is missing or hidden. */
export function libraryNotFound(id: string): Failure {
  const { code, message } = notFound(id);
  return new Failure(code, message);
}

function notFound(id: string): FailureRecord {
  const message = `Library "${id}" was not found. Check the ID, or whether your key may read it.`;
  return { code: "library_not_found", message };
}

/** Plain data, as lists ask for many libraries, and an error costs more than the decision. */
function refusalOf(caller: Caller, action: Action, subject: Subject): FailureRecord | undefined {
  const { scope, by, leftOut, whole }: Rule = actions[action];
  const { teamspace = "", id, libraries, submitter } = subject;
  const missing = scope === null ? undefined : missingScope(caller, scope);
  if (missing) return missing;
  if (id !== undefined && !isFor(caller, id)) {
    if (leftOut === undefined) return notFound(id);
    return { code: leftOut, message: `Your key is not for ${id}. Ask an administrator to allow it.` };
  }
  if (id !== undefined && !visibleTeamspaces(caller).includes(teamspace)) return notFound(id);
  if (libraries !== undefined && !isWithin(caller, libraries))
    return forbidden(`Your key is limited to ${caller.libraries.join(", ")}: name libraries within these.`);
  if (by === "members" || (by === "submitter" && submitter === caller.keyId)) return undefined;
  if (by === "team") return isOfTeam(caller, subject) ? undefined : forbidden(teamOnly);
  const isOwner = by !== "instance" && teamspace !== "" && teamspace === caller.teamspace;
  if (isOwner) return whole && caller.libraries.length > 0 ? tooLimited() : undefined;
  if (!hasScope(caller, "admin") || caller.teamspace !== defaultTeamspace)
    return forbidden(
      id === undefined || by === "instance"
        ? "This is for administrators of the instance: keys of the teamspace default with the scope admin. Ask one of them."
        : `${id} is public, and only administrators of the instance change it. Ask one of them, or submit it as a private library.`,
    );
  // Keys of other teamspaces are for libraries that this one's patterns say nothing about.
  const needsAll = whole || (by === "owners" && id === undefined);
  return needsAll && caller.libraries.length > 0 ? tooLimited() : undefined;
}

const teamOnly =
  "This is for keys of the teamspace default, and of the one whose key submitted the library. Ask one of their administrators.";

/** Whether the caller's teamspace owns the library, or answers for it where it is public. */
function isOfTeam({ teamspace: own }: Caller, { teamspace = "", submittedBy }: Subject): boolean {
  return teamspace === "" ? own === defaultTeamspace || own === submittedBy?.teamspace : own === teamspace;
}

function tooLimited(): FailureRecord {
  return forbidden("Your key is limited to some libraries. Use one that is not, or ask an administrator.");
}

function forbidden(message: string): FailureRecord {
  return { code: "forbidden", message };
}

import {
  defaultTeamspace,
  hasScope,
  mayReach,
  isWithin,
  missingScope,
  visibleTeamspaces,
  isReached,
  type Caller,
  type Scope,
  type AccessRules,
} from "./access.ts";
import { Failure, type FailureRecord } from "./failures.ts";
import type { KeyRecord, LibraryRecord } from "./ports.ts";
import { kindOf, labelOf } from "./kinds/index.ts";

/** The target of an action; empty for the server itself. */
export interface Subject {
  /** Owner of the library, the keys or the credentials; "" for a public library. */
  readonly teamspace?: string;
  /** ID of the library, or the ID that it will get. */
  readonly id?: string;
  /** Key that submitted the library. */
  readonly submitter?: string | undefined;
  /** Key that submitted the library, with its teamspace. */
  readonly submittedBy?: { readonly teamspace: string } | null;
  /** Patterns that a key is limited to. */
  readonly libraries?: readonly string[];
}

interface Rule {
  /** The scope that the key needs; null: no key is needed. */
  readonly scope: Scope | null;
  /**
   * `members`: all who see the library. `owners`: keys of the teamspace that owns the library, the keys or the credentials;
   * for public libraries, and those of other teamspaces, the administrators of the instance. `team`: keys of the owning
   * teamspace; for a public library those of `default` and of the submitter's teamspace. `instance`: the administrators of
   * the instance. `submitter`: the key that submitted the library, and `owners`.
   */
  readonly by: "members" | "owners" | "team" | "instance" | "submitter";
  /** Failure code for a key whose patterns do not match the library; by default library_not_found. */
  readonly leftOut?: "access_denied";
  /** Concerns the whole server, or all libraries of a teamspace: refused to keys that are limited to some libraries. */
  readonly whole?: true;
}

/** All actions. docs/guides/monitor.md describes them in prose. */
const actions = {
  /** Answers, search, lists, status and pages of a library. */
  "library.read": { scope: null, by: "members" },
  /** Seeing how a library is used. */
  "library.metrics": { scope: "read", by: "team" },
  /** Adding a library. Nothing is looked up before an ID outside of the patterns is refused, so that reveals nothing. */
  "library.submit": { scope: "submit", by: "members", leftOut: "access_denied" },
  /** Starting runs that read its source, for known versions and new ones. */
  "library.refresh": { scope: "submit", by: "members" },
  /** Replacing its uploaded file. */
  "library.replace": { scope: "submit", by: "submitter" },
  /** Replacing a failed library by another source, or other options, under the same ID. */
  "library.takeOver": { scope: "submit", by: "submitter" },
  /** Reading and changing what the caller's own teamspace notes on it. */
  "library.note": { scope: "admin", by: "members" },
  /** Replacing the token of its source. */
  "library.token": { scope: "submit", by: "owners" },
  /** Changing, deleting, cancelling, publishing, rolling back, redirecting, renaming, and seeing its path on the disk. */
  "library.change": { scope: "admin", by: "owners" },
  /** Adding a library of a folder on the server's disk. */
  "folder.submit": { scope: "admin", by: "instance", leftOut: "access_denied" },
  /** Adding a package of a registry that is read with credentials of the server. */
  "registry.submit": { scope: "admin", by: "instance", leftOut: "access_denied" },
  /** Making, listing and revoking keys. */
  keys: { scope: "admin", by: "owners" },
  /** Reading and changing the access rules of a teamspace. */
  access: { scope: "admin", by: "owners", whole: true },
  /** Granting groups of the issuer scopes in a teamspace. */
  groups: { scope: "admin", by: "instance", whole: true },
  /** Making, listing, testing and deleting credentials that libraries share. */
  credentials: { scope: "admin", by: "owners", whole: true },
  /** Making, listing and deleting hooks for the repositories of an owner. */
  hooks: { scope: "admin", by: "owners", whole: true },
  /** Applying library manifests, and listing them. */
  manifests: { scope: "admin", by: "owners", whole: true },
  /** Adding, listing, testing and deleting receivers of notifications. */
  receivers: { scope: "admin", by: "owners", whole: true },
  /** Using a shared credential for a library of its teamspace. */
  "credential.use": { scope: "submit", by: "owners" },
  /** Making, listing and deleting teamspaces. */
  teamspaces: { scope: "admin", by: "instance", whole: true },
  /** Changing policy and rules of a teamspace, and reading those of another one. */
  policies: { scope: "admin", by: "owners", whole: true },
  /** Reading the audit log of a teamspace, or of all. */
  audit: { scope: "admin", by: "owners", whole: true },
  /** Decrypting what Temporal stores of all runs. */
  payloads: { scope: "admin", by: "instance", whole: true },
  /** Reading the metrics of a process. */
  scrape: { scope: "admin", by: "instance", whole: true },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof actions;

/**
 * The only decision about rights.
 * @throws Failure invalid_api_key without a key; forbidden, access_denied or library_not_found where the key does not permit it
 */
export function authorize(caller: Caller, action: Action, subject: Subject = {}): void {
  const refusal = refusalOf(caller, action, subject);
  if (!refusal) return;
  const byRule = subject.id !== undefined && caller.reach !== undefined && !isReached(caller.reach, subject.id);
  throw new Failure(refusal.code, refusal.message, byRule ? { byRule } : {});
}

/** True where `authorize` would not throw. */
export function may(caller: Caller, action: Action, subject: Subject = {}): boolean {
  return refusalOf(caller, action, subject) === undefined;
}

/** The caller with a valid key. */
export function callerOf({ id, teamspace, scopes, libraries, subject }: KeyRecord): Caller {
  return { keyId: id, teamspace, scopes, libraries, ...(subject !== undefined && { subject }) };
}

/** The caller, limited by the access rules of its teamspace (undefined: it is gone). Administrators are not limited. */
export function limitedByRules(
  access: AccessRules | undefined,
  caller: Caller,
  groups: readonly string[] = [],
): Caller {
  if (hasScope(caller, "admin")) return caller;
  const rules = access ?? { revision: "", otherwise: "deny", rules: new Map() };
  if (rules.rules.size === 0 && rules.otherwise === "allow") return caller;
  return { ...caller, reach: { access: rules, user: caller.subject, groups } };
}

/** Whether a key has expired. `now` is in milliseconds since 1970. */
export function isExpired({ expiresAt }: Pick<KeyRecord, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** library_not_found, with the same message for a missing and a hidden library. */
export function libraryNotFound(id: string): Failure {
  const { code, message } = notFound(id);
  return new Failure(code, message);
}

function notFound(id: string): FailureRecord {
  const message = `Library "${id}" was not found. Check the ID, or whether your key may read it.`;
  return { code: "library_not_found", message };
}

/** Returns plain data: lists check many libraries, and creating an Error costs more than the decision. */
function refusalOf(caller: Caller, action: Action, subject: Subject): FailureRecord | undefined {
  const { scope, by, leftOut, whole }: Rule = actions[action];
  const { teamspace = "", id, libraries, submitter } = subject;
  const missing = scope === null ? undefined : missingScope(caller, scope);
  if (missing) return missing;
  if (id !== undefined && !mayReach(caller, id)) {
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
  // The patterns of this key say nothing about libraries of other teamspaces.
  const needsAll = whole || (by === "owners" && id === undefined);
  return needsAll && caller.libraries.length > 0 ? tooLimited() : undefined;
}

const teamOnly =
  "This is for keys of the teamspace default, and of the one whose key submitted the library. Ask one of their administrators.";

/** Whether the caller's teamspace owns the library, or is in charge of a public one. */
function isOfTeam(caller: Caller, { teamspace = "", submittedBy }: Subject): boolean {
  if (teamspace !== "") return caller.teamspace === teamspace;
  return caller.teamspace === defaultTeamspace || caller.teamspace === submittedBy?.teamspace;
}

function tooLimited(): FailureRecord {
  return forbidden("Your key is limited to some libraries. Use one that is not, or ask an administrator.");
}

function forbidden(message: string): FailureRecord {
  return { code: "forbidden", message };
}

type Placed = Pick<LibraryRecord, "id" | "teamspace" | "source">;

/** Whether a caller sees a library's path on the server's disk, as those who may change the library do. */
export function seesDisk(caller: Caller, library: Placed): boolean {
  return kindOf(library.source).onDisk !== true || may(caller, "library.change", library);
}

/** A library's source as the caller may see it, for every message and response. */
export function sourceShownTo(caller: Caller, library: Placed): string {
  const { location } = kindOf(library.source);
  return seesDisk(caller, library) ? location(library.source) : labelOf(library.source);
}

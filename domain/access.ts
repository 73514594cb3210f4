import { Failure, type FailureRecord } from "./failures.ts";
import { foldId } from "./library.ts";

export type Scope = "read" | "submit" | "admin";

/** The caller of an operation. Anonymous callers have no key and no teamspace, and read public libraries. */
export interface Caller {
  /** ID of the key, or `user:` and a hash for a user who signed in with the issuer; null for an anonymous caller. */
  readonly keyId: string | null;
  /** The user that the token of the issuer, or the key, names. */
  readonly subject?: string;
  readonly teamspace: string | null;
  readonly scopes: readonly Scope[];
  /** Library IDs the key is limited to, `*` standing for anything; empty: all. */
  readonly libraries: readonly string[];
  /** Limits `libraries` further by the access rules of the teamspace; absent: no limit. */
  readonly reach?: Reach;
}

export const anonymous: Caller = { keyId: null, teamspace: null, scopes: [], libraries: [] };

/** The teamspace that always exists; its administrators are those of the instance. */
export const defaultTeamspace = "default";

/** The form of a teamspace ID. */
export const teamspacePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The holder of LECTERN_ADMIN_KEY, which is not in the catalog. */
export const operator: Caller = { keyId: "admin", teamspace: defaultTeamspace, scopes: ["admin"], libraries: [] };

const implied: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ["read"],
  submit: ["submit", "read"],
  admin: ["admin", "submit", "read"],
};

/** `admin` includes `submit`, `submit` includes `read`. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.some((held) => implied[held].includes(scope));
}

/** The failure of a caller without a scope: invalid_api_key without a key, else forbidden; undefined: it has the scope. */
export function missingScope(caller: Caller, scope: Scope): FailureRecord | undefined {
  if (caller.keyId === null) {
    const message = 'This operation needs an API key. Send it as "Authorization: Bearer <key>".';
    return { code: "invalid_api_key", message };
  }
  if (hasScope(caller, scope)) return undefined;
  const message = `This operation needs a key with the scope "${scope}". Ask an administrator for one.`;
  return { code: "forbidden", message };
}

/** @throws Failure invalid_api_key without a key, forbidden without the scope */
export function requireScope(caller: Caller, scope: Scope): void {
  const missing = missingScope(caller, scope);
  if (missing) throw new Failure(missing.code, missing.message);
}

/** Whether the caller's patterns (none: all libraries) match a library, and the access rules allow it. */
export function mayReach({ libraries, reach }: Caller, libraryId: string): boolean {
  if (libraries.length > 0 && !matchesLibrary(libraries, libraryId)) return false;
  return reach === undefined || isReached(reach, libraryId);
}

export function matchesLibrary(patterns: readonly string[], libraryId: string): boolean {
  const id = foldId(libraryId);
  return patterns.some((pattern) => matches(foldId(pattern), id));
}

/** Whether all libraries that `patterns` match (none: all libraries) are among the caller's. */
export function isWithin(caller: Caller, patterns: readonly string[]): boolean {
  // Only a star in the caller's pattern matches a star, so that pattern covers the whole given one.
  return caller.libraries.length === 0 || (patterns.length > 0 && patterns.every((one) => mayReach(caller, one)));
}

/** Owners whose libraries the caller sees: its teamspace before "", which owns the public ones. */
export function visibleTeamspaces(caller: Caller): readonly string[] {
  return caller.teamspace === null ? [""] : [caller.teamspace, ""];
}

/** Whether an ID matches a pattern with the wildcard `*`. Takes linear time, as both are untrusted. */
function matches(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return id === first;
  const end = id.length - last.length;
  if (!id.startsWith(first) || !id.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const literal of rest) {
    const start = id.indexOf(literal, at);
    if (start === -1 || start + literal.length > end) return false;
    at = start + literal.length;
  }
  return true;
}

/** Who may read a library, or all libraries of a namespace such as `/acme`. */
export interface AccessRule {
  /** Library ID or namespace, as written. */
  readonly library: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** The access rules of a teamspace. */
export interface AccessRules {
  /** Changes with every change of the rules, and differs for a later teamspace of the same ID. */
  readonly revision: string;
  /** Applies to libraries that no rule covers. */
  readonly otherwise: "allow" | "deny";
  /** By folded library ID or namespace. */
  readonly rules: ReadonlyMap<string, AccessRule>;
}

/** A caller as the access rules see it. */
interface Reach {
  readonly access: AccessRules;
  readonly user: string | undefined;
  readonly groups: readonly string[];
}

/** A reach in the form that the catalog filters lists by. */
export interface ReachTable {
  /** Folded IDs and namespaces, longest first: the first match decides. */
  readonly rules: readonly { readonly folded: string; readonly isOpen: boolean }[];
  readonly otherwise: boolean;
}

/** Maximum number of rules of a teamspace: one query filters a list by all of them. */
export const maxAccessRules = 1000;

/** Whether the access rules allow a library: the rule with the longest ID or namespace decides, else the default. */
export function isReached({ access, ...caller }: Reach, libraryId: string): boolean {
  const rule = ruleFor(access, libraryId);
  return rule ? isNamed(rule, caller) : access.otherwise === "allow";
}

/** The rule that decides about a library; undefined: the default decides. */
export function ruleFor({ rules }: Pick<AccessRules, "rules">, libraryId: string): AccessRule | undefined {
  if (rules.size === 0) return undefined;
  for (let place = foldId(libraryId); place !== ""; place = place.slice(0, Math.max(0, place.lastIndexOf("/")))) {
    const rule = rules.get(place);
    if (rule) return rule;
  }
  return undefined;
}

/** The decisions of `isReached` as a table; undefined if everything is open. */
export function toReachTable({ access, ...caller }: Reach): ReachTable | undefined {
  const rules = [...access.rules]
    .map(([folded, rule]) => ({ folded, isOpen: isNamed(rule, caller) }))
    .sort((left, right) => right.folded.length - left.folded.length);
  const otherwise = access.otherwise === "allow";
  return otherwise && rules.every(({ isOpen }) => isOpen) ? undefined : { rules, otherwise };
}

function isNamed({ users, groups }: AccessRule, caller: Omit<Reach, "access">): boolean {
  if (caller.user !== undefined && users.includes(caller.user)) return true;
  return caller.groups.some((group) => groups.includes(group));
}

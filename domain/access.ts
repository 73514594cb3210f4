import { isReached } from "./access-rules.ts";
import type { Reach } from "./access-rules.ts";
import { Failure } from "./failures.ts";
import type { FailureRecord } from "./failures.ts";
import { foldId } from "./library.ts";

export type Scope = "read" | "submit" | "admin";

/** Who asks. Anonymous callers have no key, belong to no teamspace and read public libraries. */
export interface Caller {
  /** Id of the key, or `user:` and a hash for somebody who signed in with the issuer; null for an anonymous caller. */
  readonly keyId: string | null;
  /** The user, as the issuer of tokens or the key names one. */
  readonly subject?: string;
  readonly teamspace: string | null;
  readonly scopes: readonly Scope[];
  /** Library IDs the key is limited to, `*` standing for anything; empty: all. */
  readonly libraries: readonly string[];
  /** What the rules of the teamspace leave of them; absent: everything. */
  readonly reach?: Reach;
}

export const anonymous: Caller = { keyId: null, teamspace: null, scopes: [], libraries: [] };

/** The teamspace that is always there; its administrators are the instance's. */
export const defaultTeamspace = "default";

/** The holder of the key that the operator configured. It is in no catalog. */
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

/** What a caller is told whose key lacks a scope: invalid_api_key without a key, else forbidden; undefined where it has the scope. */
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

/** True where a caller's patterns are for a library, or for all of them, and the rules of the teamspace have it open for the caller. */
export function isFor({ libraries, reach }: Caller, libraryId: string): boolean {
  if (libraries.length > 0 && !matchesLibrary(libraries, libraryId)) return false;
  return reach === undefined || isReached(reach, libraryId);
}

/** True where one of a key's patterns is for the library. */
export function matchesLibrary(patterns: readonly string[], libraryId: string): boolean {
  const id = foldId(libraryId);
  return patterns.some((pattern) => matches(foldId(pattern), id));
}

/** True where patterns of a key, none standing for all libraries, are for nothing that the caller's key is not for. */
export function isWithin(caller: Caller, patterns: readonly string[]): boolean {
  // A star is matched by nothing but a star of the caller's, which then takes whatever it stands for.
  return caller.libraries.length === 0 || (patterns.length > 0 && patterns.every((one) => isFor(caller, one)));
}

/** Owners whose libraries the caller sees, his own before the public ones. */
export function visibleTeamspaces(caller: Caller): readonly string[] {
  return caller.teamspace === null ? [""] : [caller.teamspace, ""];
}

/** Whether an ID fits a pattern, `*` standing for anything; in linear time, as IDs come from anybody. */
function matches(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return id === first;
  const end = id.length - last.length;
  if (!id.startsWith(first) || !id.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const literal of rest) {
    const found = id.indexOf(literal, at);
    if (found === -1 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}

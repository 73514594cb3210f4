import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";
import { Failure } from "../domain/failures.ts";
import { hashKey } from "./keys.ts";

/** The shape of generated IDs and teamspaces, which no key, and hardly any token, has. */
const plainId = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The target of an act for the audit log, from `libraryName`, `libraryId` or `id` of parameters, a body or an answer: a library's
 * folded ID with its version. Null: none, or a text that could be a secret in the wrong place.
 */
export function actTarget(given: readonly unknown[], adminKeyHash: string | null): string | null {
  for (const one of given) {
    if (typeof one !== "object" || one === null) continue;
    const named = new Map<string, unknown>(Object.entries(one));
    const library = named.get("libraryName") ?? named.get("libraryId");
    if (typeof library === "string") return libraryTarget(library);
    const id = named.get("id");
    if (typeof id === "string") return isPlain(id, adminKeyHash) ? id : null;
  }
  return null;
}

/** The target from an answer, which may also be a teamspace. */
export function answerTarget(answer: unknown, adminKeyHash: string | null): string | null {
  const target = actTarget([answer], adminKeyHash);
  if (target !== null || typeof answer !== "object" || answer === null || !("teamspace" in answer)) return target;
  const { teamspace } = answer;
  return typeof teamspace === "string" && isPlain(teamspace, adminKeyHash) ? teamspace : null;
}

function isPlain(id: string, adminKeyHash: string | null): boolean {
  return plainId.test(id) && hashKey(id) !== adminKeyHash;
}

/** A library in the audit log; null for what is not a library ID. */
export function libraryTarget(text: string): string | null {
  // An address could contain a password; the answer says what is wrong with it.
  if (/:\/|\/\/|[?#]/.test(text)) return null;
  try {
    const { id, version } = parseLibraryId(text);
    return showLibrary(foldId(id), version);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";
import { Failure } from "../domain/failures.ts";
import { hashKey } from "./keys.ts";

/** What the server makes IDs of, and teamspaces: no key of ours, and hardly a token of others, is written so. */
const plainId = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * What parameters, a body or an answer name by `libraryName`, `libraryId` or `id`, as the audit log has it: a library's ID folded, with its
 * version. Null where they name nothing, or in a form that might be a secret which somebody has put in the wrong place.
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

/** The same of an answer, which names a teamspace where it names nothing else. */
export function answerTarget(answer: unknown, adminKeyHash: string | null): string | null {
  const target = actTarget([answer], adminKeyHash);
  if (target !== null || typeof answer !== "object" || answer === null || !("teamspace" in answer)) return target;
  const { teamspace } = answer;
  return typeof teamspace === "string" && isPlain(teamspace, adminKeyHash) ? teamspace : null;
}

function isPlain(id: string, adminKeyHash: string | null): boolean {
  return plainId.test(id) && hashKey(id) !== adminKeyHash;
}

/** A library as the audit log names it; null where the text is no library ID. */
export function libraryTarget(text: string): string | null {
  // An address may hold a password, and the answer says what is wrong with it.
  if (/:\/|\/\/|[?#]/.test(text)) return null;
  try {
    const { id, version } = parseLibraryId(text);
    return showLibrary(foldId(id), version);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

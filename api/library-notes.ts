import type { ApiPorts } from "./options.ts";

/** What of a library was left out of a generation and why, in sentences. */
export type LibraryNotes = (generation: string) => Promise<readonly string[]>;

/** Maximum of generations whose notes are cached; a generation never changes. */
const maxRemembered = 1000;

/** Reads notes from manifests, and remembers those that were read last: a status is asked for again and again. */
export function createLibraryNotes({ manifest }: Pick<ApiPorts, "manifest">): LibraryNotes {
  const remembered = new Map<string, readonly string[]>();
  return async (generation) => {
    const known = remembered.get(generation);
    if (known !== undefined) return known;
    const found = await manifest(generation);
    if (found === undefined) return [];
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    const notes = found.notes ?? [];
    remembered.set(generation, notes);
    return notes;
  };
}

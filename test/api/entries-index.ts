import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import { contentOf } from "../../search/library-content.ts";

/** A LibraryIndex over the test's entries, whose candidates are the first ones; their titles and descriptions are what they say. */
export function entriesIndex(entries: Map<string, LibraryEntry>): LibraryIndex {
  return {
    put: async (entry) => void entries.set(entry.uid, entry),
    remove: async (uid) => void entries.delete(uid),
    candidates: async (teamspaces, _name, _query, limit) =>
      [...entries.values()].filter(({ key }) => teamspaces.includes(key.teamspace)).slice(0, limit),
    async byContent({ terms }, { teamspaces, limit, uids }) {
      const all = [...entries.values()].filter(({ key }) => teamspaces.includes(key.teamspace));
      const found = all.flatMap((entry) => {
        const content = contentOf(entry);
        return terms.some((term) => content.impacts.has(term)) ? [{ entry, ...content }] : [];
      });
      const chosen = uids ? found.filter(({ entry }) => uids.includes(entry.uid)) : found.slice(0, limit);
      return { total: all.length, frequency: new Map(terms.map((term) => [term, 1])), libraries: chosen };
    },
    entries: async (uids) => uids.flatMap((uid) => entries.get(uid) ?? []),
    uids: async () => [...entries.keys()],
  };
}

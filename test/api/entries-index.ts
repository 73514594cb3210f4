import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";

/** A LibraryIndex over the test's entries, whose candidates are the first ones. */
export function entriesIndex(entries: Map<string, LibraryEntry>): LibraryIndex {
  return {
    put: async (entry) => void entries.set(entry.uid, entry),
    remove: async (uid) => void entries.delete(uid),
    candidates: async (teamspaces, _name, _query, limit) =>
      [...entries.values()].filter(({ key }) => teamspaces.includes(key.teamspace)).slice(0, limit),
    entries: async (uids) => uids.flatMap((uid) => entries.get(uid) ?? []),
    uids: async () => [...entries.keys()],
  };
}

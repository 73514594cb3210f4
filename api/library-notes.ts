import type { Unread } from "../domain/generation.ts";
import type { ApiPorts } from "./options.ts";
import { cachedByGeneration } from "./generation-cache.ts";

/** What was left out of a generation and why, in sentences. */
export type LibraryNotes = (generation: string) => Promise<readonly string[]>;

/** Reads notes from manifests, and caches the latest, as a status is polled. */
export function createLibraryNotes({ manifest }: Pick<ApiPorts, "manifest">): LibraryNotes {
  const notesIn = cachedByGeneration(async (generation) => {
    const found = await manifest(generation);
    return found && (found.notes ?? []);
  });
  return async (generation) => (await notesIn(generation)) ?? [];
}

/** A generation's documentation in formats that are not read; undefined: none. */
export type UnreadOf = (generation: string) => Promise<Unread | undefined>;

/** Reads unread formats from manifests, and caches the latest. */
export function createUnreadOf({ manifest }: Pick<ApiPorts, "manifest">): UnreadOf {
  const unreadIn = cachedByGeneration(async (generation) => {
    const found = await manifest(generation);
    return found && { unread: found.unread };
  });
  return async (generation) => (await unreadIn(generation))?.unread;
}

import type { Unread } from "../domain/generation.ts";
import type { ApiPorts } from "./options.ts";
import { LRUCache } from "lru-cache";

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

/** Maximum number of cached generations. */
const maxRemembered = 1000;

/**
 * Caches what is read of generations, which never change. Concurrent requests share one read. Missing values and errors are not
 * cached.
 */
export function cachedByGeneration<T extends object>(
  read: (generation: string) => Promise<T | undefined>,
): typeof read {
  const cache = new LRUCache<string, T>({ max: maxRemembered, ignoreFetchAbort: true, fetchMethod: read });
  return async (generation) => cache.fetch(generation);
}

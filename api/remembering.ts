import { LRUCache } from "lru-cache";

/** Maximum of generations that something is remembered of. */
const maxRemembered = 1000;

/**
 * Remembers what was read last of generations, which never change: asked for by many at the same time, it is read once. What
 * was not there, or could not be read, is asked for again.
 */
export function remembering<T extends object>(read: (generation: string) => Promise<T | undefined>): typeof read {
  const cache = new LRUCache<string, T>({ max: maxRemembered, ignoreFetchAbort: true, fetchMethod: read });
  return async (generation) => cache.fetch(generation);
}

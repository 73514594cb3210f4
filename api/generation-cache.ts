import { LRUCache } from "lru-cache";

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

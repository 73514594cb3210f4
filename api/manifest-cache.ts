import { LRUCache } from "lru-cache";
import type { Manifest } from "../domain/generation.ts";
import type { ApiPorts } from "./options.ts";

/** Maximum number of cached generations. */
const maxCached = 1000;

/**
 * Reads a part of manifests, `missing` without one, and caches it, as generations never change. Concurrent requests share one
 * read. A missing manifest and errors are not cached.
 */
export function cachedFromManifest<T>(
  { manifest }: Pick<ApiPorts, "manifest">,
  pick: (manifest: Manifest) => T,
  missing: T,
): (generation: string) => Promise<T> {
  const cache = new LRUCache<string, { readonly part: T }>({
    max: maxCached,
    ignoreFetchAbort: true,
    async fetchMethod(generation) {
      const read = await manifest(generation);
      return read && { part: pick(read) };
    },
  });
  return async (generation) => ((await cache.fetch(generation)) ?? { part: missing }).part;
}

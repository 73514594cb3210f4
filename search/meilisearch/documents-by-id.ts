import { LRUCache } from "lru-cache";
import { Failure } from "../../domain/failures.ts";
import type { MeilisearchServer } from "./client.ts";
import { documentId } from "./documents.ts";
import type { PassageDocument } from "./documents.ts";

/** How values are made of documents of the passage index. */
export interface Made<T extends NonNullable<unknown>, Field extends keyof PassageDocument> {
  /** Attributes that a value is made of, besides the passage's id. */
  readonly fields: readonly Field[];
  /** Makes a value; `bytes`: the size of the data that it was made of, at least one. */
  readonly make: (document: Pick<PassageDocument, Field | "sid">) => { readonly value: T; readonly bytes: number };
  /** Size of the LRU cache, in those bytes. */
  readonly maxBytes: number;
}

/**
 * Creates a reader of documents by the ids of their passages, in the order of the ids. What is not in the cache is fetched with
 * one request, which takes Meilisearch a third less time than a search with the same documents as hits.
 * The reader throws Failure search_failed if a document does not exist any more.
 */
export function createReader<T extends NonNullable<unknown>, Field extends keyof PassageDocument>(
  server: MeilisearchServer,
  { fields, make, maxBytes }: Made<T, Field>,
): (generation: string, ids: readonly string[]) => Promise<readonly T[]> {
  const cache = new LRUCache<string, T>({ maxSize: maxBytes });
  return async (generation, ids) => {
    const found = new Map(ids.map((id) => [id, cache.get(`${generation} ${id}`)]));
    const missing = ids.filter((id) => found.get(id) === undefined);
    if (missing.length > 0) {
      const { results } = await server.ask((client) =>
        client.index<PassageDocument>(server.nameOf("snippets")).getDocuments({
          ids: missing.map((id) => documentId(generation, id)),
          fields: ["sid", ...fields],
          limit: missing.length,
        }),
      );
      for (const document of results) {
        const { value, bytes } = make(document);
        cache.set(`${generation} ${document.sid}`, value, { size: bytes });
        found.set(document.sid, value);
      }
    }
    return ids.map((id) => {
      const value = found.get(id);
      if (value === undefined)
        throw new Failure("search_failed", `Generation ${generation} has just been removed from the index. Try again.`);
      return value;
    });
  };
}

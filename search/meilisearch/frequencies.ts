import { LRUCache } from "lru-cache";

/** Frequencies of a generation's terms. */
export interface KnownTerms {
  /** Number of passages of the generation. */
  readonly total: number;
  /** How many of them have each term. */
  readonly frequency: ReadonlyMap<string, number>;
}

/** Remembers document frequencies. Those of a generation never change. */
export interface FrequencyMemory {
  /** What is known of these terms; without `total` if nothing of the generation is. */
  recall(generation: string, terms: readonly string[]): Partial<KnownTerms> & Pick<KnownTerms, "frequency">;
  keep(generation: string, known: KnownTerms): void;
}

/** Creates a memory of at most `maxEntries` terms, the least recently used of which are forgotten. */
export function createFrequencyMemory(maxEntries = 50_000): FrequencyMemory {
  /** By generation and term. The total is kept as the frequency of "". */
  const entries = new LRUCache<string, number>({ max: maxEntries });
  const keyOf = (generation: string, term: string) => `${generation} ${term}`;

  return {
    recall(generation, terms) {
      const frequency = new Map<string, number>();
      for (const term of terms) {
        const known = entries.get(keyOf(generation, term));
        if (known !== undefined) frequency.set(term, known);
      }
      const total = entries.get(keyOf(generation, ""));
      return { ...(total !== undefined && { total }), frequency };
    },
    keep(generation, { total, frequency }) {
      entries.set(keyOf(generation, ""), total);
      for (const [term, count] of frequency) entries.set(keyOf(generation, term), count);
    },
  };
}

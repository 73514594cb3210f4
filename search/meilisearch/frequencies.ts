import { LRUCache } from "lru-cache";

/** What is known of a generation's terms. */
export interface KnownTerms {
  /** Passages of the generation. */
  readonly total: number;
  /** In how many of them each term occurs. */
  readonly frequency: ReadonlyMap<string, number>;
}

/** What is remembered of some terms of a generation. */
export interface RecalledTerms {
  /** Passages of the generation; undefined where that is not known. */
  readonly total: number | undefined;
  /** Those of the terms that are known. */
  readonly frequency: ReadonlyMap<string, number>;
}

/** Remembers document frequencies, which never change in a generation. */
export interface FrequencyMemory {
  recall(generation: string, terms: readonly string[]): RecalledTerms;
  keep(generation: string, known: KnownTerms): void;
}

/** An LRU cache of a limited number of entries. */
export function createFrequencyMemory(maxEntries = 50_000): FrequencyMemory {
  /** By generation and term. The total is kept as the frequency of "". */
  const entries = new LRUCache<string, number>({ max: maxEntries });
  const keyOf = (generation: string, term: string) => `${generation} ${term}`;

  return {
    recall(generation, terms) {
      const frequency = new Map<string, number>();
      const total = entries.get(keyOf(generation, ""));
      for (const term of terms) {
        const known = entries.get(keyOf(generation, term));
        if (known !== undefined) frequency.set(term, known);
      }
      return { total, frequency };
    },
    keep(generation, { total, frequency }) {
      entries.set(keyOf(generation, ""), total);
      for (const [term, count] of frequency) entries.set(keyOf(generation, term), count);
    },
  };
}

import { LRUCache } from "lru-cache";
import { nearestTerms, spellingRange, type KnownTerm } from "../ranking/spelling.ts";

/** Maximum number of terms of a vocabulary, the most frequent ones. */
const maxTerms = 100_000;
/** Terms that may be corrections. */
const correction = /^[a-z]{4,40}$/;

/** Counts the passages of each possible correction. */
export function createVocabularyWriter() {
  const counts = new Map<string, number>();
  return {
    /** Adds the distinct terms of a passage. */
    add(terms: Iterable<string>): void {
      for (const term of terms) if (correction.test(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    },
    /** The vocabulary as text, for `readVocabulary`. */
    finish(): string {
      const kept = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxTerms);
      return kept.map(([term, count]) => `${term} ${count}`).join("\n");
    },
  };
}

/** Creates an LRU cache of the vocabularies of generations. `read` fetches the text of a writer. */
export function createVocabularies(read: (generation: string) => Promise<string>, most = 16) {
  /** By generation, then by first letter. Concurrent questions share one read. */
  const cache = new LRUCache<string, ReadonlyMap<string, readonly KnownTerm[]>>({
    max: most,
    ignoreFetchAbort: true,
    fetchMethod: async (generation) => readVocabulary(await read(generation)),
  });

  return {
    /** Terms of the generation with nearly the spelling of a word. */
    async near(generation: string, word: string): Promise<readonly KnownTerm[]> {
      const range = spellingRange(word);
      if (range === undefined) return [];
      const terms = (await cache.forceFetch(generation)).get(range.from) ?? [];
      const fits = ([{ length }]: KnownTerm) => length >= range.shortest && length <= range.longest;
      return nearestTerms(word, terms.filter(fits));
    },
  };
}

function readVocabulary(text: string): ReadonlyMap<string, readonly KnownTerm[]> {
  const terms = text.split("\n").map((line): KnownTerm => {
    const [term = "", count = "0"] = line.split(" ");
    return [term, Number(count)];
  });
  return Map.groupBy(terms, ([term]) => term.slice(0, 1));
}

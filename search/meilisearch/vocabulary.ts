import { LRUCache } from "lru-cache";
import { nearestTerms, spellingRange } from "../../ranking/spelling.ts";
import type { KnownTerm } from "../../ranking/spelling.ts";

/** Terms of a generation that are kept for corrections: the most frequent ones, where there are more. */
const maxTerms = 100_000;
/** What a correction may be. */
const correction = /^[a-z]{4,40}$/;

/** Counts in how many passages each term occurs that may correct a misspelt word. */
export interface VocabularyWriter {
  /** Takes the terms of one passage, each once. */
  add(terms: Iterable<string>): void;
  /** All of it as a text, for `readVocabulary`. */
  finish(): string;
}

export function createVocabularyWriter(): VocabularyWriter {
  const counts = new Map<string, number>();
  return {
    add(terms) {
      for (const term of terms) if (correction.test(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    },
    finish() {
      const kept = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxTerms);
      return kept.map(([term, count]) => `${term} ${count}`).join("\n");
    },
  };
}

/** The vocabularies of the generations that were asked for last. */
export interface Vocabularies {
  /** Terms of the generation that are spelt nearly like a word that it does not have; none for most words. */
  near(generation: string, word: string): Promise<readonly KnownTerm[]>;
}

/** An LRU cache of vocabularies; `read` fetches what a writer has finished. */
export function createVocabularies(read: (generation: string) => Promise<string>, most = 16): Vocabularies {
  /** By generation and then first letter. Questions that come at the same time wait for one reading. */
  const cache = new LRUCache<string, ReadonlyMap<string, readonly KnownTerm[]>>({
    max: most,
    ignoreFetchAbort: true,
    fetchMethod: async (generation) => readVocabulary(await read(generation)),
  });

  return {
    async near(generation, word) {
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

import { Failure } from "../../domain/failures.ts";
import type { PassageIndex } from "../../domain/ports.ts";
import { codesOf, isServed, kindsOf, type Passage } from "../../domain/passage.ts";

/** Hooks of a test into the index. */
interface IndexOptions {
  readonly onQuery: () => void;
  readonly isDown: () => boolean;
}

/** A PassageIndex over the test's passages that finds those with a word of the question. */
export function loadedIndex(
  loaded: ReadonlyMap<string, readonly Passage[]>,
  { onQuery, isDown }: IndexOptions,
): PassageIndex {
  return {
    load: () => Promise.reject(new Error("Tests load by themselves.")),
    count: async (generation) => loaded.get(generation)?.filter(isServed).length,
    model: async (generation) => (loaded.has(generation) ? "" : undefined),
    async candidates(generation, question, filter) {
      onQuery();
      const all = loaded.get(generation);
      if (!all) throw new Failure("index_rebuilding", "The index does not have this generation.");
      const fits = all.filter(
        (passage) =>
          isServed(passage) &&
          (filter.kind === undefined || kindsOf(passage).includes(filter.kind)) &&
          (filter.language === undefined || codesOf(passage).some(({ language }) => language === filter.language)),
      );
      const matches = fits.filter((passage) => question.terms.some((term) => JSON.stringify(passage).includes(term)));
      return {
        total: all.length,
        averageLength: { title: 1, breadcrumb: 1, path: 1, identifiers: 1, prose: 1, code: 1, subject: 1 },
        model: "",
        documentFrequency: new Map(),
        corrections: new Map(),
        candidates: matches.map((passage) => ({
          id: passage.id,
          pageUrl: passage.page.url,
          pageKind: undefined,
          explains: false,
          belowTitle: false,
          lengths: [],
          meaning: new Int8Array(),
          tokens: passage.tokens,
        })),
        occurrences: new Map(),
        read: async (ids) => ids.map((id) => matches.find((passage) => passage.id === id) ?? raise(id)),
      };
    },
    drop: async () => {},
    generations: async () => [...loaded.keys()],
    ready: async () => {
      if (isDown()) throw new Error("The index is down.");
    },
    close: async () => {},
  };
}

function raise(id: string): never {
  throw new Error(`There is no passage ${id}.`);
}

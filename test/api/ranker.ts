import type { Question, Ranker } from "../../domain/ports.ts";

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\W+/).filter(Boolean);
}

/** Keeps candidates in their order, and finds libraries by a part of their ID. */
export const ranker: Ranker = {
  version: "test-1",
  analyseQuestion: (query): Question => ({
    terms: wordsOf(query),
    standIns: new Map(),
    words: [],
    meaning: new Int8Array(),
  }),
  meaningOfPage: () => new Int8Array(),
  likeness: () => 0,
  withEmbedding: (question, model) => ({ ...question, model }),
  rank: (_question, { candidates }, { limit }) =>
    candidates.slice(0, limit).map((candidate) => ({ candidate, score: 1 })),
  explain: ({ terms }, { candidates }, { limit }) => ({
    words: terms.map((word) => ({ word, worth: 1, terms: [{ term: word, as: "word", share: 1, passages: 1 }] })),
    meaningBy: "table",
    passages: candidates.slice(0, limit).map((candidate) => {
      const parts = { score: 1, own: 1, page: 0, factor: 1, meaning: 0 };
      return {
        candidate,
        ...parts,
        earned: terms.map(() => 1),
        found: [{ term: terms[0] ?? "", field: "prose", times: 1 }],
      };
    }),
  }),
  missing: (query) => query.split(/\W+/).filter((word) => word.startsWith("Absent")),
  isNamed: (name, { id }) => id.includes(name.toLowerCase()),
  fitsName: (text, entries) => entries.some(({ id }) => id.includes(text.toLowerCase())),
  namedIn: (text, entries) => entries.filter(({ id }) => wordsOf(text).includes(id.slice(id.lastIndexOf("/") + 1))),
  rankByContent: (_question, { libraries }) => libraries.map(({ entry }) => ({ entry, score: 1 })),
  fitOfAnswer: (_question, _statistics, { passages }) => passages.length,
  rankLibraries: (name, _query, found) =>
    found.filter(
      ({ id }) => id.includes(name.toLowerCase()) || wordsOf(name).includes(id.slice(id.lastIndexOf("/") + 1)),
    ),
  claimFor: (name, { aliases }) => aliases.find((alias) => alias.name === name),
};

import type { Question, Ranker } from "../../domain/ports.ts";

/** Keeps candidates in their order, and finds libraries by a part of their ID. */
export const ranker: Ranker = {
  version: "test-1",
  analyseQuestion: (query): Question => ({
    terms: query.toLowerCase().split(/\W+/).filter(Boolean),
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
  rankLibraries: (name, _query, found) => found.filter(({ id }) => id.includes(name.toLowerCase())),
  claimFor: (name, { aliases }) => aliases.find((alias) => alias.name === name),
};

import {
  searchFields,
  type Candidates,
  type ExplainedOrder,
  type ExplainedPassage,
  type Question,
  type RankLimits,
} from "../../domain/ports.ts";
import { conceptsOf, countConcepts, earned, type Concepts } from "./concepts.ts";
import { meansBy } from "./meaning.ts";
import { rank, weigher } from "./rank.ts";

/** The figures by which `rank` orders candidates. */
export function explain(question: Question, candidates: Candidates, limits: RankLimits): ExplainedOrder {
  const concepts = conceptsOf(question, candidates);
  const counts = countConcepts(concepts, candidates);
  const weigh = weigher(concepts.worth.length, candidates, counts);
  const places = new Map(candidates.candidates.map(({ id }, place) => [id, place]));
  const matches = matchesIn(concepts, candidates);
  const sums = new Float64Array(concepts.worth.length);
  return {
    words: wordsOf(question, concepts, candidates),
    meaningBy: meansBy(question, candidates.candidates),
    passages: rank(question, candidates, limits).map(({ candidate, score, parts }) => {
      const place = places.get(candidate.id) ?? 0;
      weigh({ candidate, place }, sums);
      const earnings = question.terms.map((_, at) => earned(sums[at] ?? 0, concepts.worth[at] ?? 0));
      return { candidate, score, ...parts, earned: earnings, found: matches[place] ?? [] };
    }),
  };
}

/** The words of the question with the terms looked up for each. */
function wordsOf(question: Question, { terms, worth }: Concepts, candidates: Candidates): ExplainedOrder["words"] {
  return question.terms.map((word, concept) => ({
    word,
    worth: worth[concept] ?? 0,
    terms: terms
      .filter((one) => one.concept === concept)
      .map(({ term, share }) => ({
        term,
        as: roleOf(question, word, term),
        share,
        passages: candidates.documentFrequency.get(term) ?? 0,
      })),
  }));
}

type Role = ExplainedOrder["words"][number]["terms"][number]["as"];

function roleOf({ mark, standIns }: Question, word: string, term: string): Role {
  if (term === word) return "word";
  if (term === mark?.term) return "operation";
  return standIns.has(term) ? "synonym" : "spelling";
}

type Matches = ExplainedPassage["found"];

/** The fields of each candidate that have the terms. */
function matchesIn({ terms }: Concepts, { candidates, occurrences }: Candidates): readonly Matches[] {
  const matches = candidates.map((): Matches[number][] => []);
  for (const term of new Set(terms.map((one) => one.term))) {
    const triples = occurrences.get(term) ?? [];
    for (let at = 0; at < triples.length; at += 3) {
      const field = searchFields[triples[at + 1] ?? 0] ?? "prose";
      matches[triples[at] ?? 0]?.push({ term, field, times: triples[at + 2] ?? 0 });
    }
  }
  return matches;
}

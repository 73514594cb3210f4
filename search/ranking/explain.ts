import { searchFields } from "../../domain/ports.ts";
import type { Candidates, ExplainedOrder, Question } from "../../domain/ports.ts";
import { conceptsOf, countConcepts, earned } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { rank, weigher } from "./rank.ts";

/** The figures by which `rank` orders candidates. */
export function explain(question: Question, candidates: Candidates, limit: number): ExplainedOrder {
  const concepts = conceptsOf(question, candidates);
  const counts = countConcepts(concepts, candidates);
  const weigh = weigher(concepts.worth.length, candidates, counts);
  const places = new Map(candidates.candidates.map(({ id }, place) => [id, place]));
  const found = foundIn(concepts, candidates);
  const sums = new Float64Array(concepts.worth.length);
  return {
    words: wordsOf(question, concepts, candidates),
    passages: rank(question, candidates, limit).map(({ candidate, score, parts }) => {
      const place = places.get(candidate.id) ?? 0;
      weigh({ candidate, place }, sums);
      const earnings = question.terms.map((_, at) => earned(sums[at] ?? 0, concepts.worth[at] ?? 0));
      return { candidate, score, ...parts, earned: earnings, found: found[place] ?? [] };
    }),
  };
}

/** The words of the question, and the terms that were looked up for each. */
function wordsOf(question: Question, { terms, worth }: Concepts, found: Candidates): ExplainedOrder["words"] {
  return question.terms.map((word, concept) => ({
    word,
    worth: worth[concept] ?? 0,
    terms: terms
      .filter((one) => one.concept === concept)
      .map(({ term, share }) => ({
        term,
        as: asWhat(question, word, term),
        share,
        passages: found.documentFrequency.get(term) ?? 0,
      })),
  }));
}

function asWhat(
  { mark, standIns }: Question,
  word: string,
  term: string,
): "word" | "operation" | "synonym" | "spelling" {
  if (term === word) return "word";
  if (term === mark?.term) return "operation";
  return standIns.has(term) ? "synonym" : "spelling";
}

type Found = ExplainedOrder["passages"][number]["found"];

/** The fields of each candidate that have the terms. */
function foundIn({ terms }: Concepts, { candidates, occurrences }: Candidates): readonly Found[] {
  const found = candidates.map((): Found[number][] => []);
  for (const term of new Set(terms.map((one) => one.term))) {
    const places = occurrences.get(term) ?? [];
    for (let at = 0; at < places.length; at += 3) {
      const field = searchFields[places[at + 1] ?? 0] ?? "prose";
      found[places[at] ?? 0]?.push({ term, field, times: places[at + 2] ?? 0 });
    }
  }
  return found;
}

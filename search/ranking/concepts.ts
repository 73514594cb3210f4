import { searchFields, type Candidates, type Question } from "../../domain/ports.ts";
import { weights } from "./weights.ts";

/** A term of a concept. */
export interface CountedTerm {
  readonly term: string;
  /** Index of the concept. */
  readonly concept: number;
  /** Weight of an occurrence. */
  readonly share: number;
}

/** The concepts of a question: each of its terms with its stand-ins. Rare ones are worth more. */
export interface Concepts {
  readonly terms: readonly CountedTerm[];
  /** The worth of each concept. The last one may be the mark of operations that do what is asked for, with a worth of 0. */
  readonly worth: readonly number[];
  /** The bonus of operations that do what is asked for; 0 for questions without a verb. */
  readonly doing: number;
}

/** The concepts of a question, with their worth in the generation. */
export function conceptsOf(question: Question, candidates: Candidates): Concepts {
  const { total, documentFrequency, corrections } = candidates;
  const places = new Map(question.terms.map((term, place) => [term, place]));
  const terms: CountedTerm[] = [];
  const greatest: number[] = [];
  const { mark } = question;
  const sure = mark?.isSure === true ? 1 : weights.standIn;
  const add = (term: string, concept: number, share: number): void => {
    terms.push({ term, concept, share });
    greatest[concept] = Math.max(greatest[concept] ?? 0, documentFrequency.get(term) ?? 0);
  };
  for (const [term, concept] of places) {
    add(term, concept, 1);
    for (const near of corrections.get(term) ?? []) add(near, concept, weights.standIn);
  }
  for (const [term, original] of question.standIns) {
    const concept = places.get(original);
    // The frequency of the mark does not count: it depends on how many operations do the same.
    if (term === mark?.term) {
      if (concept !== undefined) terms.push({ term, concept, share: sure });
    } else if (concept !== undefined) add(term, concept, weights.standIn);
  }
  const worth = question.terms.map((term, at) =>
    inverseFrequency(between(documentFrequency.get(term) ?? 0, greatest[at] ?? 0), total),
  );
  if (mark === undefined) return { terms, worth, doing: 0 };
  terms.push({ term: mark.term, concept: worth.length, share: 1 });
  return { terms, worth: [...worth, 0], doing: sure * weights.doing * worth.reduce((sum, one) => sum + one, 0) };
}

/** The occurrences of each concept, weighted by their share, as an array of candidates by fields by concepts. */
export function countConcepts({ terms, worth }: Concepts, { candidates, occurrences }: Candidates): Float64Array {
  const counts = new Float64Array(candidates.length * searchFields.length * worth.length);
  for (const { term, concept, share } of terms) {
    const triples = occurrences.get(term) ?? [];
    for (let at = 0; at < triples.length; at += 3) {
      const field = (triples[at] ?? 0) * searchFields.length + (triples[at + 1] ?? 0);
      const place = field * worth.length + concept;
      counts[place] = (counts[place] ?? 0) + share * (triples[at + 2] ?? 0);
    }
  }
  return counts;
}

/** The sum of `earned` of all concepts. */
export function saturate(sums: Float64Array, worth: readonly number[]): number {
  let score = 0;
  for (let at = 0; at < sums.length; at++) score += earned(sums[at] ?? 0, worth[at] ?? 0);
  return score;
}

/** The score of a concept for its weighted occurrences. */
export function earned(sum: number, worth: number): number {
  return (worth * sum) / (weights.saturation + sum);
}

/**
 * The frequency of a concept: the geometric mean of that of its own term, and of its most frequent term. A rare word with a common
 * stand-in is worth less than the word and more than the stand-in.
 */
function between(own: number, greatest: number): number {
  return own === 0 ? greatest : Math.sqrt(own * greatest);
}

/** BM25's inverse document frequency, to a power; near 0 for a term in every passage. */
function inverseFrequency(frequency: number, total: number): number {
  return Math.log(1 + (Math.max(total - frequency, 0) + 0.5) / (frequency + 0.5)) ** weights.rarity;
}

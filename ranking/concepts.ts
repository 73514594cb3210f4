import { searchFields } from "../domain/ports.ts";
import type { Candidates, Question } from "../domain/ports.ts";
import { weights } from "./weights.ts";

/** A term that is counted, and the concept that it stands for. */
export interface CountedTerm {
  readonly term: string;
  /** Place of the concept. */
  readonly concept: number;
  /** What an occurrence counts. */
  readonly share: number;
}

/** The things that a question asks about. Each is worth as much as it is rare; several terms may stand for one. */
export interface Concepts {
  readonly terms: readonly CountedTerm[];
  /** What each concept is worth. The last one is the mark of operations that do what is asked for, if any: worth nothing by itself. */
  readonly worth: readonly number[];
  /** What an operation earns that does what is asked for; 0 where the question does not say. */
  readonly doing: number;
}

/** The concepts of a question, worth what the statistics of the generation say. */
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
  for (const [term, meant] of question.standIns) {
    const concept = places.get(meant);
    // What an operation does is no matter of the verb that its description has, nor of how many others do so.
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

/**
 * Occurrences of each concept in the first field of the first candidate, then in its second, and so on; those of a stand-in
 * count their share.
 */
export function countConcepts({ terms, worth }: Concepts, { candidates, occurrences }: Candidates): Float64Array {
  const counts = new Float64Array(candidates.length * searchFields.length * worth.length);
  for (const { term, concept, share } of terms) {
    const found = occurrences.get(term) ?? [];
    for (let at = 0; at < found.length; at += 3) {
      const field = (found[at] ?? 0) * searchFields.length + (found[at + 1] ?? 0);
      const place = field * worth.length + concept;
      counts[place] = (counts[place] ?? 0) + share * (found[at + 2] ?? 0);
    }
  }
  return counts;
}

/** What all concepts earn together of their weighted occurrences. */
export function saturate(sums: Float64Array, worth: readonly number[]): number {
  let score = 0;
  for (let at = 0; at < sums.length; at++) score += earned(sums[at] ?? 0, worth[at] ?? 0);
  return score;
}

/** What one concept earns of its weighted occurrences. */
export function earned(sum: number, worth: number): number {
  return (worth * sum) / (weights.saturation + sum);
}

/**
 * How frequent a concept is whose own term is in `own` passages and the most frequent of all its terms in `greatest`: halfway
 * between, as ratios go. A rare word with a common stand-in is neither as telling as the one nor as empty as the other.
 */
function between(own: number, greatest: number): number {
  return own === 0 ? greatest : Math.sqrt(own * greatest);
}

/** BM25's, to a power: near 0 for what stands in every passage. */
function inverseFrequency(frequency: number, total: number): number {
  return Math.log(1 + (Math.max(total - frequency, 0) + 0.5) / (frequency + 0.5)) ** weights.rarity;
}

import type { Candidates, Question } from "../domain/ports.ts";

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
  /** What each concept is worth. */
  readonly worth: readonly number[];
  /** Place of the concept that a term of the question is. */
  readonly of: ReadonlyMap<string, number>;
}

/** How much less than a term of the question its relatives count. */
export interface Shares {
  /** What a guessed identifier is worth. */
  readonly guess: number;
  /** What a phrase is worth of what the most frequent of its terms is. */
  readonly phrase: number;
  /** What an occurrence counts of what a phrase may mean besides the first of its terms. */
  readonly alsoMeant: number;
  /** What an occurrence of a stand-in counts. */
  readonly standIn: number;
  /** What an occurrence of a correction counts. */
  readonly correction: number;
}

/** The concepts of a question, worth what the statistics of the generation say. */
export function conceptsOf(question: Question, candidates: Candidates, shares: Shares): Concepts {
  const { total, documentFrequency, corrections } = candidates;
  const of = new Map<string, number>();
  const terms: CountedTerm[] = [];
  const greatest: number[] = [];
  const add = (term: string, concept: number, share: number): void => {
    terms.push({ term, concept, share });
    greatest[concept] = Math.max(greatest[concept] ?? 0, documentFrequency.get(term) ?? 0);
  };
  for (const term of [...question.terms, ...question.guesses]) {
    const concept = of.size;
    of.set(term, concept);
    add(term, concept, 1);
    for (const near of corrections.get(term) ?? []) add(near, concept, shares.correction);
  }
  for (const [term, meant] of question.standIns) {
    const concept = of.get(meant);
    if (concept !== undefined) add(term, concept, shares.standIn);
  }
  const guesses = new Set(question.guesses);
  const worth = [...of].map(([term, at]) => {
    const frequency = between(documentFrequency.get(term) ?? 0, greatest[at] ?? 0);
    return inverseFrequency(frequency, total) * (guesses.has(term) ? shares.guess : 1);
  });
  for (const meant of question.phrases) {
    const concept = worth.length;
    for (const [at, term] of meant.entries()) add(term, concept, at === 0 ? 1 : shares.alsoMeant);
    worth.push(inverseFrequency(greatest[concept] ?? 0, total) * shares.phrase);
  }
  return { terms, worth, of };
}

/**
 * How frequent a concept is whose own term is in `own` snippets and the most frequent of all its terms in `greatest`: halfway
 * between, as ratios go. A rare word with a common stand-in is neither as telling as the one nor as empty as the other.
 */
function between(own: number, greatest: number): number {
  return own === 0 ? greatest : Math.sqrt(own * greatest);
}

/** BM25's: near 0 for what stands in every snippet. */
function inverseFrequency(frequency: number, total: number): number {
  return Math.log(1 + (Math.max(total - frequency, 0) + 0.5) / (frequency + 0.5));
}

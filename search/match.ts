import type { Question } from "../domain/ports.ts";

/** Terms and pairs that are matched; the rarest say the most, and each one costs a walk over its rows. */
const maxTerms = 12;
const maxPairs = 8;

/** What of a question is looked up. Any of it makes a row a candidate. */
export interface Match {
  readonly terms: readonly string[];
  /** Terms that count once more where the second stands right behind the first. */
  readonly pairs: readonly (readonly [string, string])[];
}

/**
 * The rarest of the terms that are looked up for a question, and of its pairs; nothing where none of them occurs in the
 * generation. `filtered`: only some of the rows may answer, and those may have nothing but common terms.
 */
export function planMatch(
  question: Pick<Question, "pairs">,
  terms: readonly string[],
  frequency: ReadonlyMap<string, number>,
  total: number,
  filtered = false,
): Match {
  const count = (term: string) => frequency.get(term) ?? 0;
  const found = terms.filter((term) => count(term) > 0).toSorted((a, b) => count(a) - count(b));
  // BM25 gives next to nothing for a term that stands in more than half of the rows.
  const telling = filtered ? [] : found.filter((term) => count(term) <= total / 2);
  const rarest = (telling.length > 0 ? telling : found).slice(0, maxTerms);
  const pairs = question.pairs
    .filter((pair) => pair.every((term) => count(term) > 0) && pair.some((term) => rarest.includes(term)))
    .toSorted((a, b) => rarer(a, count) - rarer(b, count))
    .slice(0, maxPairs);
  return { terms: rarest, pairs };
}

function rarer(pair: readonly [string, string], count: (term: string) => number): number {
  return Math.min(count(pair[0]), count(pair[1]));
}

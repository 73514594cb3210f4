import type { Question } from "../domain/ports.ts";

/** Maximum number of terms and pairs of a match: the rarest, as each costs a walk over its rows. */
const maxTerms = 12;
const maxPairs = 8;

/** What candidates are found by: each has at least one of the terms or pairs. */
export interface Match {
  readonly terms: readonly string[];
  /** Terms that count once more if the second directly follows the first. */
  readonly pairs: readonly (readonly [string, string])[];
}

/**
 * The rarest of the terms that are looked up for a question, and of its pairs; empty if none of them occurs in the
 * generation. `filtered`: only some of the rows may answer, and they may have common terms only.
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
  // Terms in more than half of the rows have the minimum score.
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

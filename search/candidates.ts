import { searchFields, type SearchField } from "../domain/ports.ts";

/** Weights of fields for choosing candidates; the ranker has its own. */
const weightOf = { title: 4.5, breadcrumb: 1.5, path: 1, prose: 1, code: 1, identifiers: 0, subject: 4.5 };
/** The same in the order of `searchFields`. */
export const fieldWeights: readonly number[] = searchFields.map((field: SearchField) => weightOf[field]);

/** Number of terms of a passage, from those of its `searchFields`. Identifiers are part of other fields, so they do not count. */
export function lengthOf(lengths: ArrayLike<number>): number {
  return fieldWeights.reduce((sum, weight, field) => sum + (weight > 0 ? (lengths[field] ?? 0) : 0), 0);
}

/** BM25's k1 and b. */
const saturation = 1.2;
const normalisation = 0.75;
/** Minimum inverse document frequency, for terms in at least half of the passages. */
const leastIdf = 1e-6;

/** Inverse document frequency of a term. */
export function rarityOf(passages: number, total: number): number {
  const idf = Math.log((total - passages + 0.5) / (passages + 0.5));
  return idf > 0 ? idf : leastIdf;
}

/** The factor of a term's rarity in a passage's score. `weight`: of its occurrences; `length`: as a multiple of the mean. */
export function shareOf(weight: number, length: number): number {
  return (weight * (saturation + 1)) / (weight + saturation * (1 - normalisation + normalisation * length));
}

/** Upper bound of `shareOf`. */
export const maxShare = saturation + 1;

/** Maximum number of terms that candidates are found by, the rarest: each costs a walk over its rows. */
const maxTerms = 12;

/**
 * The rarest of a question's terms, of which candidates have at least one; empty if none occurs in the generation. `filtered`: only
 * some passages may answer, and they may only have common terms.
 */
export function rarestTerms(frequency: ReadonlyMap<string, number>, total: number, filtered = false): string[] {
  const occurring = [...frequency].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => a - b);
  // Terms in more than half of the passages have the minimum score.
  const rare = filtered ? [] : occurring.filter(([, count]) => count <= total / 2);
  return (rare.length > 0 ? rare : occurring).slice(0, maxTerms).map(([term]) => term);
}

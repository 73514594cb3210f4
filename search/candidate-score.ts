import { searchFields } from "../domain/ports.ts";
import type { SearchField } from "../domain/ports.ts";

/** What an occurrence in a field counts for being a candidate; the ranker has weights of its own. */
const weightOf = { title: 4.5, breadcrumb: 1.5, path: 1, prose: 1, code: 1, identifiers: 0, subject: 4.5 };
/** The same by the numbers of fields. */
export const fieldWeights: readonly number[] = searchFields.map((field: SearchField) => weightOf[field]);

/** How many terms a passage has, by its lengths in `searchFields`: all but identifiers, which are among the others. */
export function lengthOf(lengths: ArrayLike<number>): number {
  return fieldWeights.reduce((sum, weight, field) => sum + (weight > 0 ? (lengths[field] ?? 0) : 0), 0);
}

/** BM25's k1 and b. */
const saturation = 1.2;
const normalisation = 0.75;
/** The least that a term counts, however common it is. */
const leastIdf = 1e-6;

/** Inverse document frequency of a term. */
export function rarityOf(passages: number, total: number): number {
  const idf = Math.log((total - passages + 0.5) / (passages + 0.5));
  return idf > 0 ? idf : leastIdf;
}

/**
 * The share of its rarity that a term earns a passage, below `mostShare`. `weight` is what its occurrences there count,
 * `length` how many terms the passage has as a multiple of the mean.
 */
export function shareOf(weight: number, length: number): number {
  return (weight * (saturation + 1)) / (weight + saturation * (1 - normalisation + normalisation * length));
}

/** What every share stays below. */
export const mostShare = saturation + 1;

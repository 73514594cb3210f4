import { fieldWeights, rarityOf, shareOf } from "../candidates.ts";
import { emptyRows, fieldOf, rowOf, type TermRows } from "./postings.ts";

/** The data that the rows of a generation are scored by. */
export interface Postings {
  /** Number of terms of each row in all fields; that of row 1 is at 0. */
  readonly lengths: Uint32Array;
  /** Their mean. */
  readonly average: number;
  /** The rows of each looked-up term; a term without rows may be missing. */
  readonly terms: ReadonlyMap<string, TermRows>;
}

/**
 * At most `limit` rows with the best scores among those that have all facets, ascending. The score is BM25 over the terms,
 * computed as FTS5's `bm25()` does.
 */
export function bestRows(
  postings: Postings,
  terms: readonly string[],
  facets: readonly string[],
  limit: number,
): readonly number[] {
  const scores = new Float64Array(postings.lengths.length + 1);
  for (const term of terms) addScores(scores, postings, rowsOf(postings, term));
  const allowed = facets.map((facet) => new Set(rowsOf(postings, facet).places.map(rowOf)));
  const best: number[] = [];
  let least = 0;
  for (let row = 1; row < scores.length; row += 1) {
    const score = scores[row] ?? 0;
    // Of rows with equal scores the first ones in the file win.
    if (score <= least || allowed.some((rows) => !rows.has(row))) continue;
    best.splice(best.findLastIndex((other) => (scores[other] ?? 0) >= score) + 1, 0, row);
    if (best.length > limit) best.pop();
    if (best.length === limit) least = scores[best.at(-1) ?? 0] ?? 0;
  }
  return best.sort((a, b) => a - b);
}

function rowsOf({ terms }: Postings, term: string): TermRows {
  return terms.get(term) ?? emptyRows;
}

function addScores(
  scores: Float64Array,
  { lengths, average }: Postings,
  { frequency, places, counts }: TermRows,
): void {
  const worth = rarityOf(frequency, lengths.length);
  for (let at = 0; at < places.length;) {
    const row = rowOf(places[at] ?? 0);
    let weight = 0;
    for (; at < places.length && rowOf(places[at] ?? 0) === row; at += 1)
      weight += (counts[at] ?? 0) * (fieldWeights[fieldOf(places[at] ?? 0)] ?? 0);
    if (weight === 0) continue;
    scores[row] = (scores[row] ?? 0) + worth * shareOf(weight, (lengths[row - 1] ?? 0) / average);
  }
}

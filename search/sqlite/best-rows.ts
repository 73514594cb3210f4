import { fieldWeights, rarityOf, shareOf, type Match } from "../candidates.ts";
import { emptyRows, fieldAt, readPlaces, type TermRows } from "./postings.ts";

/** The data that the rows of a generation are scored by. */
export interface Postings {
  /** Number of terms of each row in all fields; that of row 1 is at 0. */
  readonly lengths: Uint32Array;
  /** Their mean. */
  readonly average: number;
  /** The rows of each looked-up term; a term without rows may be missing. */
  readonly terms: ReadonlyMap<string, TermRows>;
}

type Hits = Pick<TermRows, "rows" | "weights">;

/**
 * At most `limit` rows with the best scores among those that have all facets, ascending. The score is BM25 over the terms and
 * pairs of the match, computed as FTS5's `bm25()` does.
 */
export function bestRows(
  postings: Postings,
  { terms, pairs }: Match,
  facets: readonly string[],
  limit: number,
): readonly number[] {
  const scores = new Float64Array(postings.lengths.length + 1);
  for (const term of terms) addScores(scores, postings, rowsOf(postings, term));
  for (const pair of pairs) addScores(scores, postings, findPair(postings, pair));
  const allowed = facets.map((facet) => new Set(rowsOf(postings, facet).rows));
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

/** The rows in which the second term directly follows the first. */
function findPair(postings: Postings, [first, second]: readonly [string, string]): Hits {
  const [firsts, seconds] = [rowsOf(postings, first), rowsOf(postings, second)];
  const [rows, weights]: [number[], number[]] = [[], []];
  for (let a = 0, b = 0; a < firsts.rows.length && b < seconds.rows.length;) {
    const row = firsts.rows[a] ?? 0;
    const other = seconds.rows[b] ?? 0;
    if (row === other) {
      const weight = weightOfPairs(readPlaces(firsts, a), readPlaces(seconds, b));
      if (weight > 0) {
        rows.push(row);
        weights.push(weight);
      }
    }
    if (row <= other) a += 1;
    if (row >= other) b += 1;
  }
  return { rows: new Uint32Array(rows), weights: new Float64Array(weights) };
}

/** The weight of all places of `firsts` that a place of `seconds` directly follows; both are ascending. */
function weightOfPairs(firsts: readonly number[], seconds: readonly number[]): number {
  let weight = 0;
  for (let a = 0, b = 0; a < firsts.length && b < seconds.length;) {
    const wanted = (firsts[a] ?? 0) + 1;
    const place = seconds[b] ?? 0;
    if (place === wanted) weight += fieldWeights[fieldAt(place)] ?? 0;
    if (place <= wanted) b += 1;
    if (place >= wanted) a += 1;
  }
  return weight;
}

function addScores(scores: Float64Array, { lengths, average }: Postings, { rows, weights }: Hits): void {
  const worth = rarityOf(rows.length, lengths.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    const count = weights[at] ?? 0;
    if (count === 0) continue;
    scores[row] = (scores[row] ?? 0) + worth * shareOf(count, (lengths[row - 1] ?? 0) / average);
  }
}

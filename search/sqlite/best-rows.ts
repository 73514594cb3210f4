import type { Match } from "./match.ts";
import { firstAtLeast, nowhere, postingFields, readPlaces, weightAt } from "./postings.ts";
import type { TermRows } from "./postings.ts";

/** What an occurrence in a field counts for being a candidate; the ranker has weights of its own. */
const weightOf = { title: 4.5, breadcrumb: 1.5, path: 1, prose: 1, code: 1, identifiers: 0, facets: 0 };
/** The same by the numbers of fields in posting lists. */
export const fieldWeights: readonly number[] = postingFields.map((field) => weightOf[field]);
/** BM25's k1 and b. */
const saturation = 1.2;
const normalisation = 0.75;
/** The least that a term counts, however common it is. */
const leastIdf = 1e-6;

/** How long the rows of a generation are. */
export interface RowLengths {
  /** Terms of each row, all fields together; those of row 1 are at 0. */
  readonly lengths: Uint32Array;
  /** Mean of them. */
  readonly average: number;
}

/** A generation's terms, and what scores need besides them. */
export interface Postings extends RowLengths {
  /** The rows of each of the terms that are asked for; none of a term that is missing. */
  readonly terms: ReadonlyMap<string, TermRows>;
}

/** Rows, each with its weighted occurrences. */
type Hits = Pick<TermRows, "rows" | "weights">;

interface Scores {
  readonly byRow: Float64Array;
  /** The rows that have a score, so many of them. */
  readonly rows: Uint32Array;
  size: number;
}

/**
 * The best rows for a match, `limit` at most and ascending, by BM25 over its terms and pairs as FTS5's `bm25()` has it.
 * Only rows that have all of the facets.
 */
export function bestRows(
  postings: Postings,
  { terms, pairs }: Match,
  facets: readonly string[],
  limit: number,
): readonly number[] {
  const count = postings.lengths.length;
  const scores: Scores = { byRow: new Float64Array(count + 1), rows: new Uint32Array(count), size: 0 };
  for (const term of terms) addScores(scores, postings, rowsOf(postings, term));
  for (const pair of pairs) addScores(scores, postings, findPair(postings, pair));
  return highest(scores, rowsHaving(postings, facets), limit).sort((a, b) => a - b);
}

function rowsOf({ terms }: Postings, term: string): TermRows {
  return terms.get(term) ?? nowhere;
}

/** Where the second term stands right behind the first. */
function findPair(postings: Postings, [first, second]: readonly [string, string]): Hits {
  const [firsts, seconds] = [rowsOf(postings, first), rowsOf(postings, second)];
  const [rows, weights]: [number[], number[]] = [[], []];
  const [before, behind]: [number[], number[]] = [[], []];
  for (let a = 0, b = 0; a < firsts.rows.length && b < seconds.rows.length;) {
    const row = firsts.rows[a] ?? 0;
    const other = seconds.rows[b] ?? 0;
    if (row < other) a = firstAtLeast(firsts.rows, other, a + 1);
    else if (row > other) b = firstAtLeast(seconds.rows, row, b + 1);
    else {
      const weight = weightOfPairs(before, readPlaces(firsts, a, before), behind, readPlaces(seconds, b, behind));
      if (weight > 0) {
        rows.push(row);
        weights.push(weight);
      }
      a += 1;
      b += 1;
    }
  }
  return { rows: new Uint32Array(rows), weights: new Float64Array(weights) };
}

/** The weight of all places that one of `behind` follows; each array is ascending and read up to its size. */
function weightOfPairs(before: readonly number[], sizeBefore: number, behind: readonly number[], sizeBehind: number) {
  let weight = 0;
  for (let a = 0, b = 0; a < sizeBefore && b < sizeBehind;) {
    const wanted = (before[a] ?? 0) + 1;
    const place = behind[b] ?? 0;
    if (place === wanted) weight += weightAt(place, fieldWeights);
    if (place <= wanted) b += 1;
    if (place >= wanted) a += 1;
  }
  return weight;
}

function addScores(scores: Scores, { lengths, average }: Postings, { rows, weights }: Hits): void {
  const idf = Math.log((lengths.length - rows.length + 0.5) / (rows.length + 0.5));
  const worth = idf > 0 ? idf : leastIdf;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    const count = weights[at] ?? 0;
    if (count === 0) continue;
    const length = 1 - normalisation + (normalisation * (lengths[row - 1] ?? 0)) / average;
    const before = scores.byRow[row] ?? 0;
    if (before === 0) scores.rows[scores.size++] = row;
    scores.byRow[row] = before + worth * ((count * (saturation + 1)) / (count + saturation * length));
  }
}

/** Apart from the loop over rows, which would make a closure for each of them. */
function areHaving(sets: readonly ReadonlySet<number>[], row: number): boolean {
  return sets.every((rows) => rows.has(row));
}

/** For each of the facets the rows that have it. */
function rowsHaving(postings: Postings, facets: readonly string[]): readonly ReadonlySet<number>[] {
  return facets.map((facet) => new Set(rowsOf(postings, facet).rows));
}

/**
 * Those of the scored rows, as far as all sets have them, with the highest scores, best first; of equal ones those that come
 * first in the file.
 */
function highest({ byRow, rows, size }: Scores, having: readonly ReadonlySet<number>[], limit: number): number[] {
  const best: number[] = [];
  /** What a row needs to have a place among them. */
  let least = 0;
  for (const row of rows.subarray(0, size)) {
    const score = byRow[row] ?? 0;
    if (score < least || !areHaving(having, row)) continue;
    let place = best.length;
    for (; place > 0; place -= 1) {
      const other = best[place - 1] ?? 0;
      const ofOther = byRow[other] ?? 0;
      if (ofOther > score || (ofOther === score && other < row)) break;
      best[place] = other;
    }
    best[place] = row;
    if (best.length <= limit) continue;
    best.pop();
    least = byRow[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}

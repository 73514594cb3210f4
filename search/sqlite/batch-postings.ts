import { lengthOf } from "../candidate-score.ts";
import { toFieldHead } from "./postings.ts";
import { maxVarintLength, writeVarint } from "./varints.ts";

/** The terms of each of `searchFields` of a row, in order, and behind them its facets. */
export type RowTerms = readonly (readonly string[])[];

/** The posting lists of a batch of rows, which are numbered from 1 in the batch. */
export interface BatchPostings {
  /** Terms of each row, as `lengthOf` counts them. */
  readonly lengths: Uint32Array;
  /** The terms, joined with single spaces: many small strings take long to hand from thread to thread. */
  readonly terms: string;
  /** The list of each term, in the order of the terms, concatenated; and where each ends. */
  readonly lists: Uint8Array;
  readonly listEnds: Uint32Array;
  /** How many rows have each term, and the last of them. */
  readonly frequencies: Uint32Array;
  readonly lastRows: Uint32Array;
}

/** Row and field are one number, with the field in this many of its bits. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;

/** The posting lists of a batch of rows. */
export function toPostings(rows: readonly RowTerms[]): BatchPostings {
  const byTerm = occurrencesByTerm(rows);
  const occurrences = rows.flat().reduce((sum, { length }) => sum + length, 0);
  // At most three numbers for each occurrence: of its row, its field and its position.
  const lists = new Uint8Array(3 * maxVarintLength * occurrences);
  const listEnds = new Uint32Array(byTerm.size);
  const frequencies = new Uint32Array(byTerm.size);
  const lastRows = new Uint32Array(byTerm.size);
  let end = 0;
  for (const [at, places] of [...byTerm.values()].entries()) {
    [end, frequencies[at]] = writeList(lists, end, places);
    listEnds[at] = end;
    lastRows[at] = ((places.at(-2) ?? 0) >> fieldBits) + 1;
  }
  const lengths = Uint32Array.from(rows, (fields) => lengthOf(fields.map(({ length }) => length)));
  const terms = [...byTerm.keys()].join(" ");
  return { lengths, terms, lists: lists.slice(0, end), listEnds, frequencies, lastRows };
}

/** Where each term occurs, ascending, two numbers an occurrence: its row (from 0) with its field, and its position there. */
function occurrencesByTerm(rows: readonly RowTerms[]): Map<string, number[]> {
  const byTerm = new Map<string, number[]>();
  for (const [row, fields] of rows.entries()) {
    for (const [field, terms] of fields.entries()) {
      const place = (row << fieldBits) | field;
      for (const [position, term] of terms.entries()) {
        const occurrences = byTerm.get(term);
        if (occurrences === undefined) byTerm.set(term, [place, position]);
        else occurrences.push(place, position);
      }
    }
  }
  return byTerm;
}

/** Writes a term's list, in the format of postings.ts, at `start`; answers where it ends and how many rows it has. */
function writeList(out: Uint8Array, start: number, occurrences: readonly number[]): [end: number, frequency: number] {
  let end = start;
  let frequency = 0;
  let previousRow = -1;
  for (let at = 0, next = 0; at < occurrences.length; at = next) {
    const place = occurrences[at] ?? 0;
    const row = place >> fieldBits;
    while (occurrences[next] === place) next += 2;
    if (row !== previousRow) {
      end = writeVarint(out, end, row - previousRow);
      frequency += 1;
    }
    previousRow = row;
    const isLast = (occurrences[next] ?? -1) >> fieldBits !== row;
    end = writeVarint(out, end, toFieldHead((next - at) / 2, place & fieldMask, isLast));
    let before = 0;
    for (let other = at + 1; other < next; other += 2) {
      const position = occurrences[other] ?? 0;
      end = writeVarint(out, end, position - before);
      before = position;
    }
  }
  return [end, frequency];
}

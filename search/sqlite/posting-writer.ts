import { lengthOf } from "../candidate-score.ts";
import { toFieldHead } from "./postings.ts";
import { maxVarintLength, writeVarint } from "./varints.ts";

/** The analysed fields of a row: the terms of each of `searchFields`, and its facets. */
export type RowTerms = readonly (readonly string[])[];

/** The posting lists of some rows, which are numbered from 1 here. */
export interface RowPostings {
  /** Terms of each row, as `lengthOf` counts them. */
  readonly lengths: Uint32Array;
  /** The terms, joined with single spaces: many small strings take long to hand from thread to thread. */
  readonly terms: string;
  /** Their lists in the same order, concatenated, and where each ends. */
  readonly lists: Uint8Array;
  readonly listEnds: Uint32Array;
  /** In how many rows each term stands, and the last of them. */
  readonly frequencies: Uint32Array;
  readonly lastRows: Uint32Array;
}

/** Bits of a field's number, below the row in one number. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;

/** The posting lists of rows. */
export function writePostings(rows: readonly RowTerms[]): RowPostings {
  const byTerm = placesByTerm(rows);
  const lengths = rows.map((fields) => lengthOf(fields.map(({ length }) => length)));
  // Three numbers for each occurrence, if each stands in a row of its own.
  const lists = new Uint8Array(3 * maxVarintLength * termsIn(rows.flat()));
  const listEnds = new Uint32Array(byTerm.size);
  const frequencies = new Uint32Array(byTerm.size);
  const lastRows = new Uint32Array(byTerm.size);
  let end = 0;
  for (const [at, places] of [...byTerm.values()].entries()) {
    [end, frequencies[at]] = writeList(lists, end, places);
    listEnds[at] = end;
    lastRows[at] = ((places.at(-2) ?? 0) >> fieldBits) + 1;
  }
  const terms = [...byTerm.keys()].join(" ");
  return { lengths: Uint32Array.from(lengths), terms, lists: lists.slice(0, end), listEnds, frequencies, lastRows };
}

function termsIn(fields: RowTerms): number {
  return fields.reduce((sum, { length }) => sum + length, 0);
}

/** For each term where it stands, ascending: pairs of a number for row and field, and of the position in the field. */
function placesByTerm(rows: readonly RowTerms[]): Map<string, number[]> {
  const byTerm = new Map<string, number[]>();
  for (const [row, fields] of rows.entries()) {
    for (const [field, terms] of fields.entries()) {
      const place = (row << fieldBits) | field;
      for (const [position, term] of terms.entries()) {
        const places = byTerm.get(term);
        if (places === undefined) byTerm.set(term, [place, position]);
        else places.push(place, position);
      }
    }
  }
  return byTerm;
}

/** Writes the list of a term, as postings.ts describes it; says where it ends, and how many rows are in it. */
function writeList(out: Uint8Array, start: number, places: readonly number[]): [end: number, frequency: number] {
  let end = start;
  let frequency = 0;
  let previousRow = -1;
  for (let at = 0, next = 0; at < places.length; at = next) {
    const place = places[at] ?? 0;
    const row = place >> fieldBits;
    while (places[next] === place) next += 2;
    if (row !== previousRow) {
      end = writeVarint(out, end, row - previousRow);
      frequency += 1;
    }
    previousRow = row;
    const isLast = (places[next] ?? -1) >> fieldBits !== row;
    end = writeVarint(out, end, toFieldHead((next - at) / 2, place & fieldMask, isLast));
    let before = 0;
    for (let other = at + 1; other < next; other += 2) {
      const position = places[other] ?? 0;
      end = writeVarint(out, end, position - before);
      before = position;
    }
  }
  return [end, frequency];
}

import { searchFields } from "../../domain/ports.ts";

/**
 * Posting lists: in which rows a term stands, in which of their fields, and where. A list is a sequence of rows,
 * ascending: the distance from the row before, then for each field with the term `count << 4 | field << 1 | more`, and as
 * many distances from the position before. Numbers are varints: seven bits a byte, the lowest first, the highest bit set
 * where more follow. Fields are numbered as in `searchFields`; the one behind them, the facets, has what rows are filtered by.
 */

/** Positions in one field are fewer: a field is made of at most 100,000 characters. */
const fieldStep = 1 << 20;

/** The rows of a term, ascending. */
export interface TermRows {
  readonly rows: Uint32Array;
  /** Occurrences in each row, each worth the weight of its field. */
  readonly weights: Float64Array;
  /** Where in `lists` the fields of each row begin. */
  readonly fields: Uint32Array;
  /** The term's lists, concatenated. */
  readonly lists: Uint8Array;
}

/** Reads the lists of a term, those of its segments in the order of rows. A damaged list is read to its end. */
export function readRows(lists: readonly Uint8Array[], fieldWeights: readonly number[]): TermRows {
  const rows: number[] = [];
  const weights: number[] = [];
  const fields: number[] = [];
  const from = { bytes: Buffer.concat(lists), at: 0 };
  let end = 0;
  for (const { length } of lists) {
    from.at = end;
    end += length;
    for (let row = 0; from.at < end;) {
      row += readNumber(from);
      rows.push(row);
      fields.push(from.at);
      let weight = 0;
      for (let more = 1; more === 1;) {
        const head = readNumber(from);
        more = head & 1;
        weight += (head >> 4) * (fieldWeights[(head >> 1) & 7] ?? 0);
        skipNumbers(from, head >> 4);
      }
      weights.push(weight);
    }
  }
  return {
    rows: new Uint32Array(rows),
    weights: new Float64Array(weights),
    fields: new Uint32Array(fields),
    lists: from.bytes,
  };
}

/** The rows of a term that is nowhere. */
export const nowhere: TermRows = readRows([], []);

/** The places of the row at `index`, ascending; no place is next to one of another field. */
export function readPlaces({ lists, fields }: TermRows, index: number): number[] {
  const from = { bytes: lists, at: fields[index] ?? 0 };
  const places: number[] = [];
  for (let more = 1; more === 1;) {
    const head = readNumber(from);
    more = head & 1;
    let place = ((head >> 1) & 7) * fieldStep;
    for (let left = head >> 4; left > 0 && from.at < lists.length; left -= 1) {
      place += readNumber(from);
      places.push(place);
    }
  }
  return places;
}

/** All numbers of a sequence. */
export function readNumbers(bytes: Uint8Array): number[] {
  const from = { bytes, at: 0 };
  const numbers: number[] = [];
  while (from.at < bytes.length) numbers.push(readNumber(from));
  return numbers;
}

/** Where a term stands in rows, which are ascending: as `Occurrences` of the candidates that they are. */
export function occurrencesIn({ rows, fields, lists }: TermRows, wanted: readonly number[]): number[] {
  const found: number[] = [];
  let index = 0;
  for (const [candidate, row] of wanted.entries()) {
    while ((rows[index] ?? row) < row) index += 1;
    if (rows[index] !== row) continue;
    const from = { bytes: lists, at: fields[index] ?? 0 };
    for (let more = 1; more === 1;) {
      const head = readNumber(from);
      more = head & 1;
      const field = (head >> 1) & 7;
      if (field < searchFields.length) found.push(candidate, field, head >> 4);
      skipNumbers(from, head >> 4);
    }
  }
  return found;
}

function skipNumbers(from: { readonly bytes: Uint8Array; at: number }, count: number): void {
  for (let left = count; left > 0 && from.at < from.bytes.length; from.at += 1)
    if ((from.bytes[from.at] ?? 0) < 128) left -= 1;
}

/** Reads the number at `from.at`, and goes on behind it. */
export function readNumber(from: { readonly bytes: Uint8Array; at: number }): number {
  const { bytes } = from;
  let byte = bytes[from.at++] ?? 0;
  if (byte < 128) return byte;
  let number = byte & 127;
  for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
    byte = bytes[from.at++] ?? 0;
    number |= (byte & 127) << shift;
  }
  return number;
}

/** The weight of a place's field. */
export function weightAt(place: number, weights: readonly number[]): number {
  return weights[Math.floor(place / fieldStep)] ?? 0;
}

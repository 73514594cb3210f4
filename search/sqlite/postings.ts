import { searchFields } from "../../domain/ports.ts";

// Varints: numbers of up to 32 bits, seven bits per byte, the lowest first; the highest bit is set if more bytes follow.

/** Maximum bytes of a number. */
export const maxVarintLength = 5;

/** Bytes with a read position. */
interface VarintReader {
  readonly bytes: Uint8Array;
  at: number;
}

/** Writes a number at `at`. Returns its end. */
export function writeVarint(out: Uint8Array, at: number, number: number): number {
  let rest = number;
  let end = at;
  for (; rest >= 128; rest >>>= 7) out[end++] = (rest & 127) | 128;
  out[end++] = rest;
  return end;
}

/** Reads the next number; 0 after the end of the bytes. */
export function readVarint(from: VarintReader): number {
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

/** Encodes numbers consecutively. */
export function packVarints(numbers: readonly number[]): Uint8Array {
  const out = new Uint8Array(maxVarintLength * numbers.length);
  let end = 0;
  for (const number of numbers) end = writeVarint(out, end, number);
  return out.subarray(0, end);
}

/** Decodes the numbers of `packVarints`. */
export function unpackVarints(bytes: Uint8Array): number[] {
  const from = { bytes, at: 0 };
  const numbers: number[] = [];
  while (from.at < bytes.length) numbers.push(readVarint(from));
  return numbers;
}

// Posting lists: the places of a term, ascending, with its occurrences at each. A place is a field of a row. All numbers are varints:
// twice the distance from the previous place, or that plus one if the number of occurrences follows, as there are several. Fields are
// numbered as in `searchFields`, followed by the field of facets, by which rows are filtered.

const fieldBits = 3;

/** The place of a field in a row. */
export function placeOf(row: number, field: number): number {
  return (row << fieldBits) | field;
}

/** The row of a place. */
export function rowOf(place: number): number {
  return place >>> fieldBits;
}

/** The field of a place. */
export function fieldOf(place: number): number {
  return place & ((1 << fieldBits) - 1);
}

/** Writes the next place of a list at `at`. Returns its end. */
export function writePlace(out: Uint8Array, at: number, distance: number, count: number): number {
  const end = writeVarint(out, at, 2 * distance + (count > 1 ? 1 : 0));
  return count > 1 ? writeVarint(out, end, count) : end;
}

/** The rows of a term. */
export interface TermRows {
  /** Their number. */
  readonly frequency: number;
  /** The places of the term, ascending. */
  readonly places: Uint32Array;
  /** Its occurrences at each place. */
  readonly counts: Uint32Array;
}

/** Reads the lists of a term in all segments, in their order. A damaged list is read to its end. */
export function readRows(lists: readonly Uint8Array[]): TermRows {
  const places: number[] = [];
  const counts: number[] = [];
  let frequency = 0;
  let row = 0;
  for (const bytes of lists) {
    const from = { bytes, at: 0 };
    for (let place = 0; from.at < bytes.length;) {
      const number = readVarint(from);
      place += number >>> 1;
      places.push(place);
      counts.push(number % 2 === 0 ? 1 : readVarint(from));
      if (rowOf(place) === row) continue;
      row = rowOf(place);
      frequency += 1;
    }
  }
  return { frequency, places: new Uint32Array(places), counts: new Uint32Array(counts) };
}

/** The empty posting list. */
export const emptyRows: TermRows = readRows([]);

/** The `Occurrences` of a term in candidates, given as their ascending rows. */
export function occurrencesIn({ places, counts }: TermRows, wanted: readonly number[]): number[] {
  const occurrences: number[] = [];
  let at = 0;
  for (const [candidate, row] of wanted.entries()) {
    while (at < places.length && rowOf(places[at] ?? 0) < row) at += 1;
    for (; rowOf(places[at] ?? 0) === row; at += 1) {
      const field = fieldOf(places[at] ?? 0);
      if (field < searchFields.length) occurrences.push(candidate, field, counts[at] ?? 0);
    }
  }
  return occurrences;
}

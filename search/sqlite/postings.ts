import { searchFields } from "../../domain/ports.ts";
import { fieldWeights } from "../candidates.ts";

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

/** Skips `count` numbers, at most to the end of the bytes. */
export function skipVarints(from: VarintReader, count: number): void {
  for (let left = count; left > 0 && from.at < from.bytes.length; from.at += 1)
    if ((from.bytes[from.at] ?? 0) < 128) left -= 1;
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

// Posting lists: the rows of a term, with its fields and positions. A list has ascending rows. Each row has the distance from the
// previous row; then, for each field with the term, a head and the term's positions, each as the distance from the previous one.
// All numbers are varints. Fields are numbered as in `searchFields`, followed by the field of facets, by which rows are filtered.

/** The head of a field: the number of occurrences, the field, and whether it is the last one of its row. */
export function toFieldHead(count: number, field: number, isLast: boolean): number {
  return (count << 4) | (field << 1) | (isLast ? 0 : 1);
}

function countOf(head: number): number {
  return head >> 4;
}

function fieldOf(head: number): number {
  return (head >> 1) & 7;
}

function isLast(head: number): boolean {
  return (head & 1) === 0;
}

/** Places are positions of all fields in one sequence. A field has fewer, as it has at most 100,000 characters. */
const placesOfField = 1 << 20;

/** The rows of a term, ascending. */
export interface TermRows {
  readonly rows: Uint32Array;
  /** The summed field weights of the occurrences in each row. */
  readonly weights: Float64Array;
  /** The offset in `lists` of each row's first head. */
  readonly heads: Uint32Array;
  /** The term's lists, concatenated. */
  readonly lists: Uint8Array;
}

/** Reads the lists of a term in all segments, in their order. A damaged list is read to its end. */
export function readRows(lists: readonly Uint8Array[]): TermRows {
  const rows: number[] = [];
  const weights: number[] = [];
  const heads: number[] = [];
  const from = { bytes: Buffer.concat(lists), at: 0 };
  let end = 0;
  for (const { length } of lists) {
    from.at = end;
    end += length;
    for (let row = 0; from.at < end;) {
      row += readVarint(from);
      rows.push(row);
      heads.push(from.at);
      let weight = 0;
      let head: number;
      do {
        head = readVarint(from);
        weight += countOf(head) * (fieldWeights[fieldOf(head)] ?? 0);
        skipVarints(from, countOf(head));
      } while (!isLast(head));
      weights.push(weight);
    }
  }
  return {
    rows: new Uint32Array(rows),
    weights: new Float64Array(weights),
    heads: new Uint32Array(heads),
    lists: from.bytes,
  };
}

/** The empty posting list. */
export const emptyRows: TermRows = readRows([]);

/** The places in the row at `index`, ascending. Places of different fields are never adjacent. */
export function readPlaces({ lists, heads }: TermRows, index: number): number[] {
  const from = { bytes: lists, at: heads[index] ?? 0 };
  const places: number[] = [];
  let head: number;
  do {
    head = readVarint(from);
    let place = fieldOf(head) * placesOfField;
    for (let left = countOf(head); left > 0 && from.at < lists.length; left -= 1) {
      place += readVarint(from);
      places.push(place);
    }
  } while (!isLast(head));
  return places;
}

/** The field of a place. */
export function fieldAt(place: number): number {
  return Math.floor(place / placesOfField);
}

/** The `Occurrences` of a term in candidates, given as their ascending rows. */
export function occurrencesIn({ rows, heads, lists }: TermRows, wanted: readonly number[]): number[] {
  const occurrences: number[] = [];
  let index = 0;
  for (const [candidate, row] of wanted.entries()) {
    while ((rows[index] ?? row) < row) index += 1;
    if (rows[index] !== row) continue;
    const from = { bytes: lists, at: heads[index] ?? 0 };
    let head: number;
    do {
      head = readVarint(from);
      if (fieldOf(head) < searchFields.length) occurrences.push(candidate, fieldOf(head), countOf(head));
      skipVarints(from, countOf(head));
    } while (!isLast(head));
  }
  return occurrences;
}

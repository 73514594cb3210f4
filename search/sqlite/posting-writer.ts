import type { TermNumbers } from "../../ranking/term-numbers.ts";
import { ByteBuffer } from "../../ranking/byte-buffer.ts";
import { postingFields } from "./postings.ts";

/** Bits of a place in a field number: row above, field below. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;
/** Bytes of a number of 32 bits in a list. */
export const longestNumber = 5;
const identifiers = postingFields.indexOf("identifiers");

/** The posting lists of some rows, which are numbered from 1 here. All arrays have buffers of their own. */
export interface RowPostings {
  /** Terms of each row, all fields together but identifiers, which are among the others. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** The terms one behind the other, in UTF-8 and in no order, and where each ends. */
  readonly terms: Uint8Array<ArrayBuffer>;
  readonly termEnds: Uint32Array<ArrayBuffer>;
  /** Their lists in the same order, one behind the other, and where each ends. */
  readonly lists: Uint8Array<ArrayBuffer>;
  readonly listEnds: Uint32Array<ArrayBuffer>;
  /** In how many rows each term stands, and the last of them. */
  readonly frequencies: Uint32Array<ArrayBuffer>;
  readonly lastRows: Uint32Array<ArrayBuffer>;
}

/** Written anew for each batch; what it grew to is kept. */
const lists = new ByteBuffer(0);

/** The posting lists of rows. `fieldEnds` says where each of `postingFields` of each row ends in the numbers. */
export function writePostings(terms: TermNumbers, fieldEnds: readonly number[]): RowPostings {
  const { bytes: text, ends: termEnds } = terms.table.text();
  const { fields, positions, ends } = byTerm(terms, fieldEnds);
  const { size } = terms.table;
  const listEnds = new Uint32Array(size);
  const frequencies = new Uint32Array(size);
  const lastRows = new Uint32Array(size);
  lists.length = 0;
  // Three numbers for each occurrence, if each stands in a row of its own.
  lists.reserve(3 * longestNumber * fields.length);
  const { bytes } = lists;
  let written = 0;
  let at = 0;
  for (let term = 0; term < size; term += 1) {
    const end = ends[term] ?? 0;
    let previousRow = -1;
    let frequency = 0;
    while (at < end) {
      const number = fields[at] ?? 0;
      const row = number >> fieldBits;
      let next = at + 1;
      while (next < end && fields[next] === number) next += 1;
      if (row !== previousRow) {
        written = writeNumber(bytes, written, row - previousRow);
        frequency += 1;
      }
      const more = next < end && (fields[next] ?? 0) >> fieldBits === row ? 1 : 0;
      written = writeNumber(bytes, written, ((next - at) << (fieldBits + 1)) | ((number & fieldMask) << 1) | more);
      let before = 0;
      for (; at < next; at += 1) {
        const position = positions[at] ?? 0;
        written = writeNumber(bytes, written, position - before);
        before = position;
      }
      previousRow = row;
    }
    listEnds[term] = written;
    frequencies[term] = frequency;
    lastRows[term] = previousRow + 1;
  }
  return {
    lengths: lengthsOf(fieldEnds),
    terms: text.slice(),
    termEnds: termEnds.slice(),
    lists: bytes.slice(0, written),
    listEnds,
    frequencies,
    lastRows,
  };
}

/** Of each occurrence its field number and its position in the field, term by term; and where those of each term end. */
function byTerm(
  { numbers, length, table }: TermNumbers,
  fieldEnds: readonly number[],
): { readonly fields: Uint32Array; readonly positions: Uint32Array; readonly ends: Uint32Array } {
  const ends = new Uint32Array(table.size + 1);
  for (let at = 0; at < length; at += 1) {
    const next = (numbers[at] ?? 0) + 1;
    ends[next] = (ends[next] ?? 0) + 1;
  }
  for (let term = 1; term <= table.size; term += 1) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
  const fields = new Uint32Array(length);
  const positions = new Uint32Array(length);
  let start = 0;
  for (let field = 0; field < fieldEnds.length; field += 1) {
    const end = fieldEnds[field] ?? 0;
    const row = Math.floor(field / postingFields.length);
    const number = (row << fieldBits) | (field - row * postingFields.length);
    for (let at = start; at < end; at += 1) {
      const term = numbers[at] ?? 0;
      const place = ends[term] ?? 0;
      fields[place] = number;
      positions[place] = at - start;
      ends[term] = place + 1;
    }
    start = end;
  }
  return { fields, positions, ends };
}

function lengthsOf(fieldEnds: readonly number[]): Uint32Array<ArrayBuffer> {
  const width = postingFields.length;
  const between = (from: number, to: number): number => (fieldEnds[to] ?? 0) - (fieldEnds[from] ?? 0);
  return Uint32Array.from({ length: fieldEnds.length / width }, (_, row) => {
    const first = width * row;
    return between(first - 1, first + width - 1) - between(first + identifiers - 1, first + identifiers);
  });
}

/** Writes a number at `at`, seven bits a byte, the lowest first, and says where it ends. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number;
  let end = at;
  while (rest >= 128) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

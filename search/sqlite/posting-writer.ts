import { ByteBuffer } from "../../ranking/term-buffer.ts";
import { createTermTable, enlarged } from "./term-table.ts";

/** Bits of a place in a field number: row above, field below. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;
const space = 32;
/** Bytes of a number of 32 bits in a list. */
const longestNumber = 5;

/** The posting lists of some rows, which are numbered from 1 here. All arrays have buffers of their own. */
export interface RowPostings {
  /** Terms of each row, all fields together. */
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

/** Turns the fields of rows into posting lists. */
export interface PostingWriter {
  /** Adds a field of the next row, by its number in `postingFields`: terms joined with single spaces, from `start` to `end` of `text`. */
  addField(field: number, text: Uint8Array, start: number, end: number): void;
  /** Ends the row. */
  endRow(): void;
  /** The lists of all rows so far; from here on it begins anew. */
  take(): RowPostings;
}

/** Makes a writer. */
export function createPostingWriter(): PostingWriter {
  const terms = createTermTable();
  /** Of each occurrence, in the order of rows, fields and positions: its term, its field number, its position. */
  let termOf = new Uint32Array(0);
  let fieldOf = new Uint32Array(0);
  let positionOf = new Uint32Array(0);
  let occurrences = 0;
  let before = 0;
  let lengths: number[] = [];
  const lists = new ByteBuffer(0);

  return {
    addField(field, text, start, end) {
      if (start === end) return;
      reserve(((end - start) >> 1) + 1);
      const number = (lengths.length << fieldBits) | field;
      let position = 0;
      for (let first = start, at = start; at <= end; at += 1) {
        if (at < end && text[at] !== space) continue;
        termOf[occurrences] = terms.numberOf(text, first, at);
        fieldOf[occurrences] = number;
        positionOf[occurrences] = position++;
        occurrences += 1;
        first = at + 1;
      }
    },
    endRow() {
      lengths.push(occurrences - before);
      before = occurrences;
    },
    take() {
      const { bytes, ends: termEnds } = terms.text();
      const postings = {
        lengths: Uint32Array.from(lengths),
        terms: bytes.slice(),
        termEnds: termEnds.slice(),
        ...writeLists(),
      };
      terms.clear();
      [occurrences, before, lengths] = [0, 0, []];
      return postings;
    },
  };

  function reserve(more: number): void {
    if (occurrences + more <= termOf.length) return;
    const room = 2 * (occurrences + more);
    termOf = enlarged(termOf, room);
    fieldOf = enlarged(fieldOf, room);
    positionOf = enlarged(positionOf, room);
  }

  function writeLists(): Pick<RowPostings, "lists" | "listEnds" | "frequencies" | "lastRows"> {
    const { fields, positions, ends } = byTerm();
    const listEnds = new Uint32Array(terms.size);
    const frequencies = new Uint32Array(terms.size);
    const lastRows = new Uint32Array(terms.size);
    lists.length = 0;
    // Three numbers for each occurrence, if each stands in a row of its own.
    lists.reserve(3 * longestNumber * occurrences);
    const { bytes } = lists;
    let size = 0;
    let at = 0;
    for (let term = 0; term < terms.size; term += 1) {
      const end = ends[term] ?? 0;
      let previousRow = -1;
      let frequency = 0;
      while (at < end) {
        const number = fields[at] ?? 0;
        const row = number >> fieldBits;
        let next = at + 1;
        while (next < end && fields[next] === number) next += 1;
        if (row !== previousRow) {
          size = writeNumber(bytes, size, row - previousRow);
          frequency += 1;
        }
        const more = next < end && (fields[next] ?? 0) >> fieldBits === row ? 1 : 0;
        size = writeNumber(bytes, size, ((next - at) << (fieldBits + 1)) | ((number & fieldMask) << 1) | more);
        let before = 0;
        for (; at < next; at += 1) {
          const position = positions[at] ?? 0;
          size = writeNumber(bytes, size, position - before);
          before = position;
        }
        previousRow = row;
      }
      listEnds[term] = size;
      frequencies[term] = frequency;
      lastRows[term] = previousRow + 1;
    }
    return { lists: bytes.slice(0, size), listEnds, frequencies, lastRows };
  }

  /** Field numbers and positions term by term, and where those of each term end. */
  function byTerm(): { readonly fields: Uint32Array; readonly positions: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(terms.size + 1);
    for (let at = 0; at < occurrences; at += 1) {
      const next = (termOf[at] ?? 0) + 1;
      ends[next] = (ends[next] ?? 0) + 1;
    }
    for (let term = 1; term <= terms.size; term += 1) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
    const fields = new Uint32Array(occurrences);
    const positions = new Uint32Array(occurrences);
    for (let at = 0; at < occurrences; at += 1) {
      const term = termOf[at] ?? 0;
      const place = ends[term] ?? 0;
      fields[place] = fieldOf[at] ?? 0;
      positions[place] = positionOf[at] ?? 0;
      ends[term] = place + 1;
    }
    return { fields, positions, ends };
  }
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

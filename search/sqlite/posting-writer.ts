import { ByteBuffer } from "../../ranking/term-buffer.ts";
import { postingFields } from "./postings.ts";

/** Occurrences that are gathered in memory before they become a segment; each takes 12 bytes. */
const segmentSize = 1024 * 1024;

/** Bits of a place in a field number: row in the segment above, field below. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;
const space = 32;

/** The lists of a run of rows. */
export interface Segment {
  /** Terms of each row in the segment, all fields together. */
  readonly lengths: Uint32Array;
  /** Each term with the number of rows that have it, and its list; sorted by term. The bytes are good until the next one. */
  readonly lists: Iterable<readonly [term: string, frequency: number, list: Uint8Array]>;
}

/** Turns the fields of rows into posting lists. Rows are numbered from 1, in the order in which they are added. */
export interface PostingWriter {
  /** Adds the next row: analysed terms of each of `postingFields`, joined with single spaces, in UTF-8. */
  add(fields: readonly Uint8Array[]): void;
  /** Takes what is left. */
  finish(): void;
}

/** Makes a writer. `take` is given a segment whenever `size` occurrences are there, and the rest at the end. */
export function createPostingWriter(take: (segment: Segment) => void, size: number = segmentSize): PostingWriter {
  const terms = createTermTable();
  /** Of each occurrence, in the order of rows, fields and positions: its term and its field number. */
  let termOf = new Uint32Array(0);
  let fieldOf = new Uint32Array(0);
  let occurrences = 0;
  /** By field number, the first occurrence in it. */
  let fieldStarts: number[] = [];
  let rowsBefore = 0;
  let lengths: number[] = [];

  return {
    add(fields) {
      const before = occurrences;
      for (let field = 0; field < postingFields.length; field += 1) {
        fieldStarts[(lengths.length << fieldBits) | field] = occurrences;
        const text = fields[field];
        if (text !== undefined && text.length > 0) addField(text, (lengths.length << fieldBits) | field);
      }
      lengths.push(occurrences - before);
      if (occurrences >= size) flush();
    },
    finish() {
      if (lengths.length > 0) flush();
    },
  };

  function addField(text: Uint8Array, number: number): void {
    reserve((text.length >> 1) + 1);
    let start = 0;
    let hash = 0;
    for (let at = 0; at <= text.length; at += 1) {
      const byte = at < text.length ? (text[at] ?? 0) : space;
      if (byte !== space) {
        hash = (Math.imul(hash, 31) + byte) | 0;
        continue;
      }
      termOf[occurrences] = terms.numberOf(text, start, at, hash);
      fieldOf[occurrences] = number;
      occurrences += 1;
      start = at + 1;
      hash = 0;
    }
  }

  function reserve(more: number): void {
    if (occurrences + more <= termOf.length) return;
    const room = 2 * (occurrences + more);
    termOf = enlarged(termOf, room);
    fieldOf = enlarged(fieldOf, room);
  }

  function flush(): void {
    take({ lengths: Uint32Array.from(lengths), lists: listsOf(byTerm()) });
    rowsBefore += lengths.length;
    terms.clear();
    occurrences = 0;
    fieldStarts = [];
    lengths = [];
  }

  /** The occurrences term by term, and where those of each term end. */
  function byTerm(): { readonly sorted: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(terms.size + 1);
    for (let at = 0; at < occurrences; at += 1) {
      const next = (termOf[at] ?? 0) + 1;
      ends[next] = (ends[next] ?? 0) + 1;
    }
    for (let term = 1; term <= terms.size; term += 1) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
    const sorted = new Uint32Array(occurrences);
    for (let at = 0; at < occurrences; at += 1) {
      const term = termOf[at] ?? 0;
      const place = ends[term] ?? 0;
      sorted[place] = at;
      ends[term] = place + 1;
    }
    return { sorted, ends };
  }

  function* listsOf({ sorted, ends }: ReturnType<typeof byTerm>): Segment["lists"] {
    const out = new ByteBuffer(1024);
    for (const [term, number] of terms.sorted()) {
      out.length = 0;
      const frequency = writeList(out, sorted, number === 0 ? 0 : (ends[number - 1] ?? 0), ends[number] ?? 0);
      yield [term, frequency, out.bytes.subarray(0, out.length)];
    }
  }

  /** Writes the list of the occurrences from `start` to `end`, and says how many rows are in it. */
  function writeList(out: ByteBuffer, sorted: Uint32Array, start: number, end: number): number {
    let frequency = 0;
    let previousRow = 0;
    for (let at = start; at < end;) {
      const number = fieldOf[sorted[at] ?? 0] ?? 0;
      let next = at + 1;
      while (next < end && fieldOf[sorted[next] ?? 0] === number) next += 1;
      const row = rowsBefore + (number >> fieldBits) + 1;
      if (row !== previousRow) {
        writeNumber(out, row - previousRow);
        frequency += 1;
      }
      const more = next < end && (fieldOf[sorted[next] ?? 0] ?? 0) >> fieldBits === number >> fieldBits;
      writeNumber(out, ((next - at) << (fieldBits + 1)) | ((number & fieldMask) << 1) | Number(more));
      let before = fieldStarts[number] ?? 0;
      for (; at < next; at += 1) {
        const occurrence = sorted[at] ?? 0;
        writeNumber(out, occurrence - before);
        before = occurrence;
      }
      previousRow = row;
    }
    return frequency;
  }
}

/** Numbers terms from 0 on, found by their bytes: a string for each occurrence would take several times as long. */
function createTermTable() {
  const text = new ByteBuffer(64 * 1024);
  /** Where each term ends in `text`, and its hash. */
  let ends: number[] = [];
  let hashes: number[] = [];
  /** Term numbers, each 1 higher, at the place that their hash gives or the next free one. */
  let places = new Uint32Array(64 * 1024);

  return {
    get size() {
      return ends.length;
    },
    /** The number of the term from `start` to `end` of `bytes`. */
    numberOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
      const mask = places.length - 1;
      for (let place = (hash ^ (hash >>> 15)) & mask; ; place = (place + 1) & mask) {
        const number = (places[place] ?? 0) - 1;
        if (number < 0) return add(place, bytes, start, end, hash);
        if (hashes[number] === hash && isSame(number, bytes, start, end)) return number;
      }
    },
    /** All terms with their numbers, sorted, so that they are stored side by side. */
    sorted(): readonly (readonly [term: string, number: number])[] {
      const all = Buffer.from(text.bytes.buffer, 0, text.length);
      return ends
        .map((end, number): [string, number] => [all.toString("utf8", ends[number - 1] ?? 0, end), number])
        .sort(([a], [b]) => (a < b ? -1 : 1));
    },
    clear(): void {
      text.length = 0;
      ends = [];
      hashes = [];
      places.fill(0);
    },
  };

  function isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = number === 0 ? 0 : (ends[number - 1] ?? 0);
    if ((ends[number] ?? 0) - first !== end - start) return false;
    for (let at = start; at < end; at += 1) if (text.bytes[first + at - start] !== bytes[at]) return false;
    return true;
  }

  function add(place: number, bytes: Uint8Array, start: number, end: number, hash: number): number {
    text.reserve(end - start);
    for (let at = start; at < end; at += 1) text.bytes[text.length++] = bytes[at] ?? 0;
    ends.push(text.length);
    hashes.push(hash);
    places[place] = ends.length;
    if (2 * ends.length > places.length) spread();
    return ends.length - 1;
  }

  /** Gives the places twice the room. */
  function spread(): void {
    places = new Uint32Array(2 * places.length);
    const mask = places.length - 1;
    for (const [number, hash] of hashes.entries()) {
      let place = (hash ^ (hash >>> 15)) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = number + 1;
    }
  }
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function writeNumber(out: ByteBuffer, number: number): void {
  out.reserve(5);
  let rest = number;
  while (rest >= 128) {
    out.bytes[out.length++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  out.bytes[out.length++] = rest;
}

function enlarged(array: Uint32Array<ArrayBuffer>, room: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(room);
  larger.set(array);
  return larger;
}

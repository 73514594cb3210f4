import { ByteBuffer } from "../../ranking/term-buffer.ts";

/** Occurrences that are gathered in memory before they become a segment; each takes 20 bytes. */
const segmentSize = 1024 * 1024;

/** Bits of a place in a field number: row in the segment above, field below. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;
const space = 32;
/** Bytes of a number of 32 bits in a list. */
const longestNumber = 5;

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
  /** Of each occurrence, in the order of rows, fields and positions: its term, its field number, its position. */
  let termOf = new Uint32Array(0);
  let fieldOf = new Uint32Array(0);
  let positionOf = new Uint32Array(0);
  let occurrences = 0;
  let rowsBefore = 0;
  let lengths: number[] = [];

  return {
    add(fields) {
      const before = occurrences;
      for (const [field, text] of fields.entries()) {
        if (text.length > 0) addField(text, (lengths.length << fieldBits) | field);
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
    let position = 0;
    for (let at = 0; at <= text.length; at += 1) {
      const byte = at < text.length ? (text[at] ?? 0) : space;
      if (byte !== space) {
        hash = (Math.imul(hash, 31) + byte) | 0;
        continue;
      }
      termOf[occurrences] = terms.numberOf(text, start, at, hash);
      fieldOf[occurrences] = number;
      positionOf[occurrences] = position++;
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
    positionOf = enlarged(positionOf, room);
  }

  function flush(): void {
    take({ lengths: Uint32Array.from(lengths), lists: listsOf(byTerm()) });
    rowsBefore += lengths.length;
    terms.clear();
    occurrences = 0;
    lengths = [];
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

  function* listsOf({ fields, positions, ends }: ReturnType<typeof byTerm>): Segment["lists"] {
    const out = new ByteBuffer(1024);
    for (const [term, number] of terms.sorted()) {
      const start = number === 0 ? 0 : (ends[number - 1] ?? 0);
      const end = ends[number] ?? 0;
      const frequency = writeList(out, fields.subarray(start, end), positions.subarray(start, end), rowsBefore);
      yield [term, frequency, out.bytes.subarray(0, out.length)];
    }
  }
}

/** Writes a list in place of what is in `out`, and says how many rows are in it. */
function writeList(out: ByteBuffer, fields: Uint32Array, positions: Uint32Array, rowsBefore: number): number {
  const end = fields.length;
  out.length = 0;
  // Three numbers for each occurrence, if each stands in a row of its own.
  out.reserve(3 * longestNumber * end);
  const { bytes } = out;
  let size = 0;
  let frequency = 0;
  let previousRow = -1 - rowsBefore;
  for (let at = 0; at < end;) {
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
  out.length = size;
  return frequency;
}

/** Numbers terms from 0 on, found by their bytes: a string for each occurrence would take several times as long. */
function createTermTable() {
  const text = new ByteBuffer(64 * 1024);
  /** Where each term begins in `text`, and behind the last one where it ends. */
  let starts = new Uint32Array(32 * 1024);
  let size = 0;
  /** Two words a place: a term's hash, and its number plus 1. A term is at the place of its hash or the next free one. */
  let places = new Int32Array(4 * starts.length);

  return {
    get size() {
      return size;
    },
    /** The number of the term from `start` to `end` of `bytes`. */
    numberOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
      const mask = places.length - 1;
      for (let place = placeOf(hash) & mask; ; place = (place + 2) & mask) {
        const number = (places[place + 1] ?? 0) - 1;
        if (number < 0) return add(place, bytes, start, end, hash);
        if (places[place] === hash && isSame(number, bytes, start, end)) return number;
      }
    },
    /** All terms with their numbers, sorted, so that they are stored side by side. */
    sorted(): readonly (readonly [term: string, number: number])[] {
      const all = Buffer.from(text.bytes.buffer, 0, text.length);
      const named = Array.from({ length: size }, (_, number): [string, number] => [
        all.toString("utf8", starts[number], starts[number + 1]),
        number,
      ]);
      return named.sort(([a], [b]) => (a < b ? -1 : 1));
    },
    clear(): void {
      text.length = 0;
      size = 0;
      places.fill(0);
    },
  };

  function isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = starts[number] ?? 0;
    if ((starts[number + 1] ?? 0) - first !== end - start) return false;
    const known = text.bytes;
    for (let at = start; at < end; at += 1) if (known[first + at - start] !== bytes[at]) return false;
    return true;
  }

  function add(place: number, bytes: Uint8Array, start: number, end: number, hash: number): number {
    text.reserve(end - start);
    text.bytes.set(bytes.subarray(start, end), text.length);
    text.length += end - start;
    size += 1;
    places[place] = hash;
    places[place + 1] = size;
    if (size + 1 >= starts.length) {
      starts = enlarged(starts, 2 * starts.length);
      spread();
    }
    starts[size] = text.length;
    return size - 1;
  }

  /** Gives the places twice the room. */
  function spread(): void {
    const before = places;
    places = new Int32Array(2 * before.length);
    const mask = places.length - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] === 0) continue;
      let place = placeOf(before[at] ?? 0) & mask;
      while (places[place + 1] !== 0) place = (place + 2) & mask;
      places[place] = before[at] ?? 0;
      places[place + 1] = before[at + 1] ?? 0;
    }
  }
}

function placeOf(hash: number): number {
  return (hash ^ (hash >>> 15)) << 1;
}

/** Writes a number at `at`, seven bits a byte, the lowest first, and says where it ends. */
function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number;
  let end = at;
  while (rest >= 128) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

function enlarged(array: Uint32Array<ArrayBuffer>, room: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(room);
  larger.set(array);
  return larger;
}

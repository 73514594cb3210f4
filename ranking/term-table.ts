import { ByteBuffer } from "./byte-buffer.ts";

/** Numbers terms from 0 on, in the order in which they are first seen. They are found by their bytes: a string for each would take several times as long. */
export interface TermTable {
  /** How many terms there are. */
  readonly size: number;
  /** The number of the term from `start` to `end` of `bytes`. */
  numberOf(bytes: Uint8Array, start: number, end: number): number;
  /** The terms one behind the other, in UTF-8, and where each ends. Good until the table is changed. */
  text(): { readonly bytes: Uint8Array; readonly ends: Uint32Array };
  clear(): void;
}

/** Makes an empty table. */
export function createTermTable(): TermTable {
  const text = new ByteBuffer(64 * 1024);
  /** Where each term ends in `text`. */
  let ends = new Uint32Array(16 * 1024);
  let size = 0;
  /** Two words a place: a term's hash, and its number plus 1. A term is at the place of its hash or the next free one. */
  let places = new Int32Array(4 * ends.length);

  return {
    get size() {
      return size;
    },
    numberOf(bytes, start, end) {
      let hash = 0;
      for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
      const mask = places.length - 1;
      for (let place = placeOf(hash) & mask; ; place = (place + 2) & mask) {
        const number = (places[place + 1] ?? 0) - 1;
        if (number < 0) return add(place, bytes, start, end, hash);
        if (places[place] === hash && isSame(number, bytes, start, end)) return number;
      }
    },
    text: () => ({ bytes: text.bytes.subarray(0, text.length), ends: ends.subarray(0, size) }),
    clear() {
      text.length = 0;
      size = 0;
      places.fill(0);
    },
  };

  function isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = number === 0 ? 0 : (ends[number - 1] ?? 0);
    if ((ends[number] ?? 0) - first !== end - start) return false;
    const known = text.bytes;
    for (let at = start; at < end; at += 1) if (known[first + at - start] !== bytes[at]) return false;
    return true;
  }

  function add(place: number, bytes: Uint8Array, start: number, end: number, hash: number): number {
    text.append(bytes, start, end);
    size += 1;
    places[place] = hash;
    places[place + 1] = size;
    if (size === ends.length) {
      ends = enlarged(ends, 2 * size);
      spread();
    }
    ends[size - 1] = text.length;
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

/** The numbers, with more room behind them. */
export function enlarged(array: Uint32Array, room: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(room);
  larger.set(array);
  return larger;
}

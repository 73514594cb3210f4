import { ByteBuffer } from "../../ranking/byte-buffer.ts";
import { createTermTable, enlarged } from "../../ranking/term-table.ts";
import { longestNumber, writeNumber } from "./posting-writer.ts";
import type { RowPostings } from "./posting-writer.ts";

/** Bytes of lists that are gathered in memory before they become a segment: those of about 25,000 snippets. */
const segmentSize = 8 * 1024 * 1024;

/** The lists of a run of rows. */
export interface Segment {
  /** Terms of each row in the segment, as `RowPostings` counts them. */
  readonly lengths: Uint32Array;
  /** Each term with the number of rows that have it, and its list. The bytes are good until the next one. */
  readonly lists: Iterable<readonly [term: string, frequency: number, list: Uint8Array]>;
}

/** Joins the lists of consecutive rows into segments. Rows are numbered from 1, in the order in which they are added. */
export interface PostingMerger {
  add(postings: RowPostings): void;
  /** Takes what is left. */
  finish(): void;
}

/** Makes a merger. `take` is given a segment whenever `size` bytes of lists are there, and the rest at the end. */
export function createPostingMerger(take: (segment: Segment) => void, size: number = segmentSize): PostingMerger {
  const terms = createTermTable();
  /** What waits for the segment, and how many rows of the file come before each. */
  let waiting: { readonly postings: RowPostings; readonly rowsBefore: number }[] = [];
  /** Of each list that waits: whose it is, its place there, and the next list of its term. */
  let [from, place, next] = [new Uint32Array(0), new Uint32Array(0), new Uint32Array(0)];
  /** Lists that wait. List 0 is none. */
  let lists = 0;
  /** The first and the last list of each term. */
  let [first, last] = [new Uint32Array(0), new Uint32Array(0)];
  let rows = 0;
  let bytes = 0;

  return {
    add(postings) {
      addLists(postings);
      waiting.push({ postings, rowsBefore: rows });
      rows += postings.lengths.length;
      bytes += postings.lists.length;
      if (bytes >= size) flush();
    },
    finish() {
      if (waiting.length > 0) flush();
    },
  };

  function addLists({ terms: text, termEnds }: RowPostings): void {
    const count = termEnds.length;
    if (lists + count >= from.length) {
      const room = 2 * (lists + count + 1);
      [from, place, next] = [enlarged(from, room), enlarged(place, room), enlarged(next, room)];
    }
    if (terms.size + count > first.length) {
      const room = 2 * (terms.size + count);
      [first, last] = [enlarged(first, room), enlarged(last, room)];
    }
    let start = 0;
    for (let at = 0; at < count; at += 1) {
      const end = termEnds[at] ?? 0;
      const number = terms.numberOf(text, start, end);
      const before = last[number] ?? 0;
      lists += 1;
      from[lists] = waiting.length;
      place[lists] = at;
      if (before === 0) first[number] = lists;
      else next[before] = lists;
      last[number] = lists;
      start = end;
    }
  }

  function flush(): void {
    const lengths = waiting.flatMap(({ postings }) => [...postings.lengths]);
    take({ lengths: Uint32Array.from(lengths), lists: joined() });
    terms.clear();
    waiting = [];
    next.fill(0);
    last.fill(0);
    lists = 0;
    bytes = 0;
  }

  function* joined(): Segment["lists"] {
    const out = new ByteBuffer(1024);
    const { bytes: text, ends } = terms.text();
    const all = Buffer.from(text.buffer, 0, text.length);
    for (let number = 0; number < ends.length; number += 1) {
      let frequency = 0;
      let previousRow = 0;
      out.length = 0;
      for (let list = first[number] ?? 0; list !== 0; list = next[list] ?? 0) {
        const source = waiting[from[list] ?? 0];
        if (source === undefined) continue;
        const { postings, rowsBefore } = source;
        const at = place[list] ?? 0;
        append(out, postings, at, rowsBefore - previousRow);
        previousRow = rowsBefore + (postings.lastRows[at] ?? 0);
        frequency += postings.frequencies[at] ?? 0;
      }
      const term = all.toString("utf8", startAt(ends, number), ends[number]);
      yield [term, frequency, out.bytes.subarray(0, out.length)];
    }
  }
}

/** Adds a list whose first row is further away than it says. */
function append(out: ByteBuffer, { lists, listEnds }: RowPostings, list: number, further: number): void {
  const end = listEnds[list] ?? 0;
  let at = startAt(listEnds, list);
  let row = 0;
  for (let shift = 0, byte = 128; byte >= 128; shift += 7) {
    byte = lists[at++] ?? 0;
    row |= (byte & 127) << shift;
  }
  out.reserve(longestNumber);
  out.length = writeNumber(out.bytes, out.length, row + further);
  out.append(lists, at, end);
}

/** Where the item with this number starts. */
function startAt(ends: Uint32Array, number: number): number {
  return number === 0 ? 0 : (ends[number - 1] ?? 0);
}

import { ByteBuffer } from "../../ranking/term-buffer.ts";
import { createTermTable } from "../../ranking/term-table.ts";
import { writeNumber } from "./posting-writer.ts";
import type { RowPostings } from "./posting-writer.ts";

/** Bytes of lists that are gathered in memory before they become a segment: those of about 25,000 snippets. */
const segmentSize = 8 * 1024 * 1024;
/** Bytes of a number of 32 bits in a list. */
const longestNumber = 5;

/** The lists of a run of rows. */
export interface Segment {
  /** Terms of each row in the segment, all fields together. */
  readonly lengths: Uint32Array;
  /** Each term with the number of rows that have it, and its list; sorted by term. The bytes are good until the next one. */
  readonly lists: Iterable<readonly [term: string, frequency: number, list: Uint8Array]>;
}

/** Joins the lists of consecutive rows into segments. Rows are numbered from 1, in the order in which they are added. */
export interface PostingMerger {
  add(postings: RowPostings): void;
  /** Takes what is left. */
  finish(): void;
}

/** Postings that wait for their segment. */
interface Waiting {
  readonly postings: RowPostings;
  /** Rows of the file that come before. */
  readonly rowsBefore: number;
  /** The number that each of its terms has in the segment. */
  readonly numbers: Uint32Array;
}

/** Makes a merger. `take` is given a segment whenever `size` bytes of lists are there, and the rest at the end. */
export function createPostingMerger(take: (segment: Segment) => void, size: number = segmentSize): PostingMerger {
  const terms = createTermTable();
  let waiting: Waiting[] = [];
  let rows = 0;
  let bytes = 0;

  return {
    add(postings) {
      waiting.push({ postings, rowsBefore: rows, numbers: numbersOf(postings) });
      rows += postings.lengths.length;
      bytes += postings.lists.length;
      if (bytes >= size) flush();
    },
    finish() {
      if (waiting.length > 0) flush();
    },
  };

  function numbersOf({ terms: text, termEnds }: RowPostings): Uint32Array {
    const numbers = new Uint32Array(termEnds.length);
    for (let term = 0; term < termEnds.length; term += 1) {
      numbers[term] = terms.numberOf(text, startAt(termEnds, term), termEnds[term] ?? 0);
    }
    return numbers;
  }

  function flush(): void {
    const lengths = waiting.flatMap(({ postings }) => [...postings.lengths]);
    take({ lengths: Uint32Array.from(lengths), lists: joinedLists() });
    terms.clear();
    waiting = [];
    bytes = 0;
  }

  function* joinedLists(): Segment["lists"] {
    const { from, list, ends } = byTerm();
    const out = new ByteBuffer(1024);
    for (const [term, number] of sorted()) {
      let frequency = 0;
      let previousRow = 0;
      out.length = 0;
      for (let at = startAt(ends, number); at < (ends[number] ?? 0); at += 1) {
        const source = waiting[from[at] ?? 0];
        const index = list[at] ?? 0;
        if (source === undefined) continue;
        const { postings, rowsBefore } = source;
        append(out, postings, index, rowsBefore - previousRow);
        previousRow = rowsBefore + (postings.lastRows[index] ?? 0);
        frequency += postings.frequencies[index] ?? 0;
      }
      yield [term, frequency, out.bytes.subarray(0, out.length)];
    }
  }

  /** The lists term by term: whose each is and its place there, in the order of rows; and where those of each term end. */
  function byTerm(): { readonly from: Uint32Array; readonly list: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(terms.size + 1);
    for (const { numbers } of waiting) {
      for (const number of numbers) ends[number + 1] = (ends[number + 1] ?? 0) + 1;
    }
    for (let term = 1; term <= terms.size; term += 1) ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0);
    const from = new Uint32Array(ends[terms.size] ?? 0);
    const list = new Uint32Array(from.length);
    for (const [source, { numbers }] of waiting.entries()) {
      for (let index = 0; index < numbers.length; index += 1) {
        const number = numbers[index] ?? 0;
        const place = ends[number] ?? 0;
        from[place] = source;
        list[place] = index;
        ends[number] = place + 1;
      }
    }
    return { from, list, ends };
  }

  /** All terms with their numbers, sorted, so that they are stored side by side. */
  function sorted(): readonly (readonly [term: string, number: number])[] {
    const { bytes: text, ends } = terms.text();
    const all = Buffer.from(text.buffer, 0, text.length);
    const named = Array.from(ends, (end, number): [string, number] => [
      all.toString("utf8", startAt(ends, number), end),
      number,
    ]);
    return named.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Adds a list whose first row is further away than it says. */
function append(out: ByteBuffer, { lists, listEnds }: RowPostings, index: number, further: number): void {
  const end = listEnds[index] ?? 0;
  let at = startAt(listEnds, index);
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

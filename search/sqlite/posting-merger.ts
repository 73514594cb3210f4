import type { RowPostings } from "./posting-writer.ts";
import { maxVarintLength, readVarint, writeVarint } from "./varints.ts";

/** Bytes of lists that are gathered in memory before they become a segment: those of about 25,000 passages. */
const segmentSize = 8 * 1024 * 1024;

/** The lists of a run of rows. */
export interface Segment {
  /** Terms of each row in the segment, as `RowPostings` counts them. */
  readonly lengths: Uint32Array;
  /** Each term with the number of rows that have it, and its list. */
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
  /** What waits for the segment, and how many rows of the file come before each. */
  let waiting: { readonly postings: RowPostings; readonly rowsBefore: number }[] = [];
  /** For each term its lists in `waiting`: which postings, and the place there, one pair behind the other. */
  let places = new Map<string, number[]>();
  let rows = 0;
  let bytes = 0;

  return {
    add(postings) {
      const terms = postings.terms.split(" ");
      for (const at of postings.listEnds.keys()) {
        const term = terms[at] ?? "";
        const known = places.get(term);
        if (known === undefined) places.set(term, [waiting.length, at]);
        else known.push(waiting.length, at);
      }
      waiting.push({ postings, rowsBefore: rows });
      rows += postings.lengths.length;
      bytes += postings.lists.length;
      if (bytes >= size) flush();
    },
    finish() {
      if (waiting.length > 0) flush();
    },
  };

  function flush(): void {
    take({ lengths: Uint32Array.from(waiting.flatMap(({ postings }) => [...postings.lengths])), lists: joined() });
    waiting = [];
    places = new Map();
    bytes = 0;
  }

  function* joined(): Segment["lists"] {
    const count = waiting.reduce((sum, { postings }) => sum + postings.listEnds.length, 0);
    const out = new Uint8Array(bytes + maxVarintLength * count);
    let end = 0;
    for (const [term, of] of places) {
      const start = end;
      let frequency = 0;
      let previousRow = 0;
      for (let next = 0; next < of.length; next += 2) {
        const source = waiting[of[next] ?? 0];
        const at = of[next + 1] ?? 0;
        if (source === undefined) continue;
        const { postings, rowsBefore } = source;
        end = append(out, end, postings, at, rowsBefore - previousRow);
        previousRow = rowsBefore + (postings.lastRows[at] ?? 0);
        frequency += postings.frequencies[at] ?? 0;
      }
      yield [term, frequency, out.subarray(start, end)];
    }
  }
}

/** Adds a list whose first row is further away than it says; says where it ends. */
function append(out: Uint8Array, at: number, { lists, listEnds }: RowPostings, place: number, further: number): number {
  const from = { bytes: lists, at: listEnds[place - 1] ?? 0 };
  let end = writeVarint(out, at, readVarint(from) + further);
  for (const last = listEnds[place] ?? 0; from.at < last; from.at += 1) out[end++] = lists[from.at] ?? 0;
  return end;
}

import type { BatchPostings } from "./batch-postings.ts";
import { maxVarintLength, readVarint, writeVarint } from "./varints.ts";

/** Bytes of lists at which a segment is full: those of about 25,000 passages. They are in memory until then. */
const fullSegment = 8 * 1024 * 1024;

/** The posting lists of consecutive rows of a file. */
export interface Segment {
  /** Terms of each row in the segment, as `BatchPostings` counts them. */
  readonly lengths: Uint32Array;
  /** Each term with the number of rows that have it, and its list. */
  readonly lists: Iterable<readonly [term: string, frequency: number, list: Uint8Array]>;
}

/** Merges the lists of batches into segments. Rows are numbered from 1 in the order in which their batches are added. */
export interface PostingMerger {
  add(postings: BatchPostings): void;
  /** Makes a segment of what is left. */
  finish(): void;
}

/** Makes a merger. `write` is given each segment as soon as it has `size` bytes of lists, and the last one in the end. */
export function createPostingMerger(write: (segment: Segment) => void, size: number = fullSegment): PostingMerger {
  /** Those of the segment, with the number of rows of the file before each. */
  let batches: { readonly postings: BatchPostings; readonly rowsBefore: number }[] = [];
  /** For each term its lists in `batches`, as pairs of numbers: which batch, and which of its lists. */
  let listsOf = new Map<string, number[]>();
  let rows = 0;
  let bytes = 0;

  return {
    add(postings) {
      const terms = postings.terms.split(" ");
      for (const at of postings.listEnds.keys()) {
        const term = terms[at] ?? "";
        const known = listsOf.get(term);
        if (known === undefined) listsOf.set(term, [batches.length, at]);
        else known.push(batches.length, at);
      }
      batches.push({ postings, rowsBefore: rows });
      rows += postings.lengths.length;
      bytes += postings.lists.length;
      if (bytes >= size) writeSegment();
    },
    finish() {
      if (batches.length > 0) writeSegment();
    },
  };

  function writeSegment(): void {
    write({ lengths: Uint32Array.from(batches.flatMap(({ postings }) => [...postings.lengths])), lists: merged() });
    batches = [];
    listsOf = new Map();
    bytes = 0;
  }

  function* merged(): Segment["lists"] {
    const count = batches.reduce((sum, { postings }) => sum + postings.listEnds.length, 0);
    const out = new Uint8Array(bytes + maxVarintLength * count);
    let end = 0;
    for (const [term, pairs] of listsOf) {
      const start = end;
      let frequency = 0;
      let previousRow = 0;
      for (let next = 0; next < pairs.length; next += 2) {
        const batch = batches[pairs[next] ?? 0];
        const at = pairs[next + 1] ?? 0;
        if (batch === undefined) continue;
        const { postings, rowsBefore } = batch;
        end = append(out, end, postings, at, rowsBefore - previousRow);
        previousRow = rowsBefore + (postings.lastRows[at] ?? 0);
        frequency += postings.frequencies[at] ?? 0;
      }
      yield [term, frequency, out.subarray(start, end)];
    }
  }
}

/** Appends a list of a batch, with its first row `further` away from the row before; answers where it ends. */
function append(
  out: Uint8Array,
  start: number,
  { lists, listEnds }: BatchPostings,
  at: number,
  further: number,
): number {
  const from = { bytes: lists, at: listEnds[at - 1] ?? 0 };
  let end = writeVarint(out, start, readVarint(from) + further);
  for (const last = listEnds[at] ?? 0; from.at < last; from.at += 1) out[end++] = lists[from.at] ?? 0;
  return end;
}

import { lengthOf } from "../candidates.ts";
import { toFieldHead, maxVarintLength, writeVarint, readVarint } from "./postings.ts";

/** The terms of each of `searchFields` of a row, in order, then its facets. */
export type RowTerms = readonly (readonly string[])[];

/** The posting lists of a batch of rows, numbered from 1 in the batch. */
export interface BatchPostings {
  /** Terms of each row, as `lengthOf` counts them. */
  readonly lengths: Uint32Array;
  /** The terms, joined with single spaces, as sending many small strings to another thread is slow. */
  readonly terms: string;
  /** The lists of the terms, in their order, concatenated; and the end of each. */
  readonly lists: Uint8Array;
  readonly listEnds: Uint32Array;
  /** The number of rows with each term, and the last of them. */
  readonly frequencies: Uint32Array;
  readonly lastRows: Uint32Array;
}

/** Row and field are combined in one number, with the field in the lowest bits. */
const fieldBits = 3;
const fieldMask = (1 << fieldBits) - 1;

/** Creates the posting lists of a batch. */
export function toPostings(rows: readonly RowTerms[]): BatchPostings {
  const byTerm = occurrencesByTerm(rows);
  const occurrences = rows.flat().reduce((sum, { length }) => sum + length, 0);
  // At most three numbers for each occurrence: row, field and position.
  const lists = new Uint8Array(3 * maxVarintLength * occurrences);
  const listEnds = new Uint32Array(byTerm.size);
  const frequencies = new Uint32Array(byTerm.size);
  const lastRows = new Uint32Array(byTerm.size);
  let end = 0;
  for (const [at, places] of [...byTerm.values()].entries()) {
    [end, frequencies[at]] = writeList(lists, end, places);
    listEnds[at] = end;
    lastRows[at] = ((places.at(-2) ?? 0) >> fieldBits) + 1;
  }
  const lengths = Uint32Array.from(rows, (fields) => lengthOf(fields.map(({ length }) => length)));
  const terms = [...byTerm.keys()].join(" ");
  return { lengths, terms, lists: lists.slice(0, end), listEnds, frequencies, lastRows };
}

/** The occurrences of each term, ascending, as pairs: row (from 0) with field, and position there. */
function occurrencesByTerm(rows: readonly RowTerms[]): Map<string, number[]> {
  const byTerm = new Map<string, number[]>();
  for (const [row, fields] of rows.entries()) {
    for (const [field, terms] of fields.entries()) {
      const place = (row << fieldBits) | field;
      for (const [position, term] of terms.entries()) {
        const occurrences = byTerm.get(term);
        if (occurrences === undefined) byTerm.set(term, [place, position]);
        else occurrences.push(place, position);
      }
    }
  }
  return byTerm;
}

/** Writes a term's list, in the format of postings.ts, at `start`. Returns its end and its number of rows. */
function writeList(out: Uint8Array, start: number, occurrences: readonly number[]): [end: number, frequency: number] {
  let end = start;
  let frequency = 0;
  let previousRow = -1;
  for (let at = 0, next = 0; at < occurrences.length; at = next) {
    const place = occurrences[at] ?? 0;
    const row = place >> fieldBits;
    while (occurrences[next] === place) next += 2;
    if (row !== previousRow) {
      end = writeVarint(out, end, row - previousRow);
      frequency += 1;
    }
    previousRow = row;
    const isLast = (occurrences[next] ?? -1) >> fieldBits !== row;
    end = writeVarint(out, end, toFieldHead((next - at) / 2, place & fieldMask, isLast));
    let before = 0;
    for (let other = at + 1; other < next; other += 2) {
      const position = occurrences[other] ?? 0;
      end = writeVarint(out, end, position - before);
      before = position;
    }
  }
  return [end, frequency];
}

/** Size of a segment's lists in bytes, about 25,000 passages. They are in memory until then. */
const fullSegment = 8 * 1024 * 1024;

/** The posting lists of consecutive rows. */
export interface Segment {
  /** Terms of each row in the segment, as `BatchPostings` counts them. */
  readonly lengths: Uint32Array;
  readonly lists: Iterable<readonly [term: string, frequency: number, list: Uint8Array]>;
}

/**
 * Merges the lists of batches into segments. Rows are numbered from 1, in the order of the batches. `write` is called with each
 * segment as soon as it has `size` bytes of lists.
 */
export function createPostingMerger(write: (segment: Segment) => void, size: number = fullSegment) {
  /** The batches of the segment, with the number of rows of the file before each. */
  let batches: { readonly postings: BatchPostings; readonly rowsBefore: number }[] = [];
  /** The lists of each term, as pairs: index in `batches`, and index of the list in that batch. */
  let listsOf = new Map<string, number[]>();
  let rows = 0;
  let bytes = 0;

  return {
    add(postings: BatchPostings): void {
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
    /** Writes the last segment. */
    finish(): void {
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

/** Appends a list of a batch, and adds `shift` to the distance of its first row. Returns the end. */
function append(out: Uint8Array, start: number, { lists, listEnds }: BatchPostings, at: number, shift: number): number {
  const from = { bytes: lists, at: listEnds[at - 1] ?? 0 };
  let end = writeVarint(out, start, readVarint(from) + shift);
  for (const last = listEnds[at] ?? 0; from.at < last; from.at += 1) out[end++] = lists[from.at] ?? 0;
  return end;
}

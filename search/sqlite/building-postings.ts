import { lengthOf } from "../candidates.ts";
import { maxVarintLength, placeOf, readVarint, rowOf, writePlace, writeVarint } from "./postings.ts";

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
  /** The number of rows with each term, and its last place. */
  readonly frequencies: Uint32Array;
  readonly lastPlaces: Uint32Array;
}

/** Creates the posting lists of a batch. */
export function toPostings(rows: readonly RowTerms[]): BatchPostings {
  const byTerm = placesByTerm(rows);
  const occurrences = rows.flat().reduce((sum, { length }) => sum + length, 0);
  // At most one number for each occurrence: two only if there are several at a place.
  const lists = new Uint8Array(maxVarintLength * occurrences);
  const listEnds = new Uint32Array(byTerm.size);
  const frequencies = new Uint32Array(byTerm.size);
  const lastPlaces = new Uint32Array(byTerm.size);
  let end = 0;
  for (const [at, places] of [...byTerm.values()].entries()) {
    [end, frequencies[at]] = writeList(lists, end, places);
    listEnds[at] = end;
    lastPlaces[at] = places.at(-1) ?? 0;
  }
  const lengths = Uint32Array.from(rows, (fields) => lengthOf(fields.map(({ length }) => length)));
  const terms = [...byTerm.keys()].join(" ");
  return { lengths, terms, lists: lists.slice(0, end), listEnds, frequencies, lastPlaces };
}

/** The places of each term, ascending, one for each occurrence. */
function placesByTerm(rows: readonly RowTerms[]): Map<string, number[]> {
  const byTerm = new Map<string, number[]>();
  for (const [at, fields] of rows.entries()) {
    for (const [field, terms] of fields.entries()) {
      const place = placeOf(at + 1, field);
      for (const term of terms) {
        const places = byTerm.get(term);
        if (places === undefined) byTerm.set(term, [place]);
        else places.push(place);
      }
    }
  }
  return byTerm;
}

/** Writes a term's list, in the format of postings.ts, at `start`. Returns its end and its number of rows. */
function writeList(out: Uint8Array, start: number, places: readonly number[]): [end: number, frequency: number] {
  let end = start;
  let frequency = 0;
  let previous = 0;
  for (let at = 0, next = 0; at < places.length; at = next) {
    const place = places[at] ?? 0;
    while (places[next] === place) next += 1;
    end = writePlace(out, end, place - previous, next - at);
    if (rowOf(place) !== rowOf(previous)) frequency += 1;
    previous = place;
  }
  return [end, frequency];
}

/** Size of a segment's lists in bytes, about 25,000 passages. They are in memory until then. */
const fullSegment = 4 * 1024 * 1024;

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
      let previous = 0;
      for (let next = 0; next < pairs.length; next += 2) {
        const batch = batches[pairs[next] ?? 0];
        const at = pairs[next + 1] ?? 0;
        if (batch === undefined) continue;
        const { postings, rowsBefore } = batch;
        const before = placeOf(rowsBefore, 0);
        end = append(out, end, postings, at, before - previous);
        previous = before + (postings.lastPlaces[at] ?? 0);
        frequency += postings.frequencies[at] ?? 0;
      }
      yield [term, frequency, out.subarray(start, end)];
    }
  }
}

/** Appends a list of a batch, and adds `shift` to the distance of its first place. Returns the end. */
function append(out: Uint8Array, start: number, { lists, listEnds }: BatchPostings, at: number, shift: number): number {
  const from = { bytes: lists, at: listEnds[at - 1] ?? 0 };
  let end = writeVarint(out, start, readVarint(from) + 2 * shift);
  for (const last = listEnds[at] ?? 0; from.at < last; from.at += 1) out[end++] = lists[from.at] ?? 0;
  return end;
}

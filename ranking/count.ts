import { searchFields } from "../domain/ports.ts";
import type { Candidate } from "../domain/ports.ts";
import type { Concepts, CountedTerm } from "./concepts.ts";

/** What the fields of a candidate say of the concepts. Overwritten by the next count. */
export interface TermCounts {
  /** Occurrences of each concept in the first of `searchFields`, then in the second, and so on; those of a stand-in count their share. */
  readonly concepts: Float64Array;
  /** Terms in each of `searchFields`. */
  readonly lengths: Int32Array;
}

/**
 * Where the terms of a candidate are. For each field of `searchFields` where its terms end here; then for each term a
 * number, whose highest bits are a hash of it and the others its place in the text of its field, so that most terms are
 * told from those asked for without a look at the text.
 */
type TermPlaces = Int32Array;

const space = 32;
/** Bits of a place, which is plenty: a field is made of at most 100,000 characters. */
const placeBits = 20;
const mostPlaces = 1 << placeBits;
const hashes = 1 << (32 - placeBits);

/** An index remembers candidates; their places are remembered with them. */
const remembered = new WeakMap<Candidate, TermPlaces>();
/** Where places are written before it is known how many there are. */
let scratch = new Int32Array(1024);

/**
 * Makes the counter of concepts in candidates. It reads each text once for all questions, and looks at a term only where
 * its hash is that of one that was asked: ranking is on the way of every read.
 */
export function createTermCounter({
  terms: asked,
  worth,
}: Pick<Concepts, "terms" | "worth">): (candidate: Candidate) => TermCounts {
  const concepts = new Float64Array(searchFields.length * worth.length);
  const lengths = new Int32Array(searchFields.length);
  /** By hash, the number of its bucket from 1; 0 where nothing is asked that has this hash. */
  const bucketOf = new Uint16Array(hashes);
  const buckets: CountedTerm[][] = [[]];
  for (const term of asked) {
    const hash = hashOf(term.term);
    const bucket = bucketOf[hash] ?? 0;
    if (bucket > 0) buckets[bucket]?.push(term);
    else bucketOf[hash] = buckets.push([term]) - 1;
  }

  return (candidate) => {
    const places = placesOf(candidate);
    concepts.fill(0);
    let at = lengths.length;
    for (let field = 0; field < lengths.length; field++) {
      const end = places[field] ?? 0;
      lengths[field] = end - at;
      for (; at < end; at++) {
        const place = places[at] ?? 0;
        const bucket = bucketOf[place >>> placeBits] ?? 0;
        if (bucket > 0) note(buckets[bucket] ?? [], candidate, field, place & (mostPlaces - 1));
      }
    }
    return { concepts, lengths };
  };

  function note(bucket: readonly CountedTerm[], { fields }: Candidate, field: number, start: number): void {
    const text = fields[searchFields[field] ?? "title"];
    for (const { term, concept, share } of bucket) {
      const counted = field * worth.length + concept;
      if (isAt(text, start, term)) concepts[counted] = (concepts[counted] ?? 0) + share;
    }
  }
}

/** Whether the term stands in the text from `start` to the end of a term. */
function isAt(text: string, start: number, term: string): boolean {
  const end = start + term.length;
  if (end > text.length || (end < text.length && text.charCodeAt(end) !== space)) return false;
  for (let at = 0; at < term.length; at++) if (text.charCodeAt(start + at) !== term.charCodeAt(at)) return false;
  return true;
}

function placesOf(candidate: Candidate): TermPlaces {
  const known = remembered.get(candidate);
  if (known !== undefined) return known;
  let length: number = searchFields.length;
  for (const [number, field] of searchFields.entries()) {
    length = writePlaces(candidate.fields[field], length);
    scratch[number] = length;
  }
  const made = scratch.slice(0, length);
  remembered.set(candidate, made);
  return made;
}

/** Writes the places of a text's terms to `scratch` from `length` on, and answers where they end. */
function writePlaces(text: string, length: number): number {
  const end = Math.min(text.length, mostPlaces);
  let written = length;
  let start = 0;
  let value = 0;
  for (let at = 0; at <= end; at++) {
    const character = at < end ? text.charCodeAt(at) : space;
    if (character !== space) {
      value = (Math.imul(value, 31) + character) | 0;
      continue;
    }
    if (at > start) {
      if (written === scratch.length) scratch = grown(scratch);
      scratch[written++] = (fold(value) << placeBits) | start;
    }
    start = at + 1;
    value = 0;
  }
  return written;
}

function hashOf(term: string): number {
  let value = 0;
  for (let at = 0; at < term.length; at++) value = (Math.imul(value, 31) + term.charCodeAt(at)) | 0;
  return fold(value);
}

/** Twelve bits that depend on all of them. */
function fold(value: number): number {
  return (value ^ (value >>> 12) ^ (value >>> 24)) & (hashes - 1);
}

function grown(full: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * full.length);
  larger.set(full);
  return larger;
}

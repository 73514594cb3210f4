import { searchFields } from "../domain/ports.ts";
import type { Candidate, SearchField } from "../domain/ports.ts";
import type { Concepts, CountedTerm } from "./concepts.ts";

/** What one field says of the concepts. Overwritten by the next count. */
export interface FieldCounts {
  /** Occurrences of each concept; those of a stand-in count their share. */
  readonly concepts: Float64Array;
  /** Terms in the field. */
  readonly length: number;
}

/**
 * Where the terms of a candidate are: for each, the highest bits are a hash of it and the others its place in the text of
 * its field, so that most terms are told from those asked for without a look at the text.
 */
interface TermPlaces {
  readonly terms: Int32Array;
  /** Where the terms of each of `searchFields` end. */
  readonly ends: Int32Array;
}

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
 * Makes the counter of concepts in the fields of candidates. It reads each text once for all questions, and looks at a term
 * only where its hash is that of one that was asked: ranking is on the way of every read.
 */
export function createTermCounter({
  terms: asked,
  worth,
}: Pick<Concepts, "terms" | "worth">): (candidate: Candidate, field: SearchField) => FieldCounts {
  const concepts = new Float64Array(worth.length);
  /** By hash, the number of its bucket from 1; 0 where nothing is asked that has this hash. */
  const bucketOf = new Uint16Array(hashes);
  const buckets: CountedTerm[][] = [];
  for (const term of asked) {
    const hash = hashOf(term.term);
    const bucket = bucketOf[hash] ?? 0;
    if (bucket > 0) buckets[bucket - 1]?.push(term);
    else bucketOf[hash] = buckets.push([term]);
  }

  return (candidate, field) => {
    concepts.fill(0);
    const { terms, ends } = placesOf(candidate);
    const number = searchFields.indexOf(field);
    const start = number === 0 ? 0 : (ends[number - 1] ?? 0);
    const end = ends[number] ?? 0;
    const text = candidate.fields[field];
    for (let at = start; at < end; at++) {
      const term = terms[at] ?? 0;
      const bucket = bucketOf[term >>> placeBits] ?? 0;
      if (bucket > 0) note(buckets[bucket - 1] ?? [], text, term & (mostPlaces - 1));
    }
    return { concepts, length: end - start };
  };

  function note(bucket: readonly CountedTerm[], text: string, start: number): void {
    for (const { term, concept, share } of bucket) {
      const end = start + term.length;
      if (text.startsWith(term, start) && (end === text.length || text.charCodeAt(end) === space))
        concepts[concept] = (concepts[concept] ?? 0) + share;
    }
  }
}

function placesOf(candidate: Candidate): TermPlaces {
  const known = remembered.get(candidate);
  if (known !== undefined) return known;
  const ends = new Int32Array(searchFields.length);
  let length = 0;
  for (const [number, field] of searchFields.entries()) {
    length = writePlaces(candidate.fields[field], length);
    ends[number] = length;
  }
  const made = { terms: scratch.slice(0, length), ends };
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

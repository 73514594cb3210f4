import { searchFields } from "../domain/ports.ts";
import type { Occurrences, SearchField } from "../domain/ports.ts";

/** The analysed texts of a candidate: terms of each field, joined with single spaces. */
export type FieldTexts = Readonly<Record<SearchField, string>>;

/** Texts that were read once for all questions. */
export interface ReadTexts {
  readonly texts: FieldTexts;
  /** Terms in each of `searchFields`. */
  readonly lengths: readonly number[];
  /**
   * For each term of one field after the other a number, whose highest bits are a hash of it and the others its place in
   * the text of its field, so that most terms are told from those asked for without a look at the text.
   */
  readonly places: Int32Array;
}

const space = 32;
/** Bits of a place, which is plenty: a field is made of at most 100,000 characters. */
const placeBits = 20;
const mostPlaces = 1 << placeBits;
const hashes = 1 << (32 - placeBits);

/** Where places are written before it is known how many there are. */
let scratch = new Int32Array(1024);

/** Finds out where the terms of texts are. */
export function readTexts(texts: FieldTexts): ReadTexts {
  let length = 0;
  const lengths = searchFields.map((field) => {
    const before = length;
    length = writePlaces(texts[field], length);
    return length - before;
  });
  return { texts, lengths, places: scratch.slice(0, length) };
}

/** Where terms stand in the texts of candidates. Looks at a term of them only where its hash is that of one that was asked. */
export function occurrencesIn(
  candidates: readonly ReadTexts[],
  terms: Iterable<string>,
): ReadonlyMap<string, Occurrences> {
  const found = new Map<string, number[]>();
  /** By hash, the number of its bucket from 1; 0 where nothing is asked that has this hash. */
  const bucketOf = new Uint16Array(hashes);
  const buckets: string[][] = [[]];
  for (const term of new Set(terms)) {
    const hash = hashOf(term);
    const bucket = bucketOf[hash] ?? 0;
    if (bucket > 0) buckets[bucket]?.push(term);
    else bucketOf[hash] = buckets.push([term]) - 1;
  }
  for (const [number, { texts, lengths, places }] of candidates.entries()) {
    let at = 0;
    for (const [field, length] of lengths.entries()) {
      for (const end = at + length; at < end; at++) {
        const place = places[at] ?? 0;
        const bucket = bucketOf[place >>> placeBits] ?? 0;
        if (bucket === 0) continue;
        const text = texts[searchFields[field] ?? "title"];
        const term = buckets[bucket]?.find((one) => isAt(text, place & (mostPlaces - 1), one));
        if (term !== undefined) note(found, term, number, field);
      }
    }
  }
  return found;
}

/** Adds an occurrence; those of one field come one after the other. */
function note(found: Map<string, number[]>, term: string, candidate: number, field: number): void {
  const list = found.get(term);
  if (list === undefined) found.set(term, [candidate, field, 1]);
  else if (list.at(-3) === candidate && list.at(-2) === field) list.push((list.pop() ?? 0) + 1);
  else list.push(candidate, field, 1);
}

/** Whether the term stands in the text from `start` to the end of a term. */
function isAt(text: string, start: number, term: string): boolean {
  const end = start + term.length;
  if (end > text.length || (end < text.length && text.charCodeAt(end) !== space)) return false;
  for (let at = 0; at < term.length; at++) if (text.charCodeAt(start + at) !== term.charCodeAt(at)) return false;
  return true;
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

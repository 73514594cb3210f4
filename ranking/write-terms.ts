import type { TermBuffer } from "./term-buffer.ts";
import type { TermNumbers } from "./term-numbers.ts";
import { termsOf } from "./terms.ts";
import { endOfWord, longestText, wordsOf } from "./words.ts";

/** Collects identifiers, each as one term. */
export interface IdentifierSet {
  /** True where only those of several parts count, false where every word is one. */
  readonly compoundOnly: boolean;
  readonly found: Set<string>;
  /** How many are collected. */
  readonly most: number;
}

/** Signs beyond ASCII that much English text has and that belong to no word: quotes, dashes, arrows, lines, pictures. */
const plainSigns =
  /[\u00a0\u00b7\u2010-\u2016\u2018-\u2027\u2190-\u21ff\u2500-\u25ff\u2600-\u2775\u27c0-\u27ef\u{1f300}-\u{1faff}]/gu;

/** The ASCII text in work, and two zeros behind it. */
const input = new Uint8Array(longestText + 2);
const encoder = new TextEncoder();

/**
 * Words that were analysed, in the two places that a word's hash gives: a new one takes over the first, and the one that
 * was there the second. A place has the word's length, the bytes and the number of its terms, 1 for an identifier of
 * several parts, then the word, then its terms with a space behind each, all in ASCII.
 */
const places = 32_768;
const placeSize = 96;
const wordAt = 4;
const termsAt = 32;
const memory = new Uint8Array(places * placeSize);
/** The last term of the word in a place, which is the whole of an identifier; "" where it is too short to tell. */
const wholes: string[] = Array.from({ length: places }, () => "");
/** Of each place, the batch in which its terms were numbered last, and where their numbers begin there. */
const batchOf = new Uint32Array(places);
const numbersAt = new Uint32Array(places);
const space = 32;

/** Writes the terms of a text, and collects the identifiers in it where asked to. */
export function writeTerms(out: TermBuffer, text: string, collect?: IdentifierSet): void {
  const short = text.length > longestText ? text.slice(0, longestText) : text;
  if (isLoaded(short)) {
    writeLoaded(out, short, collect);
    return;
  }
  const plain = short.replace(plainSigns, " ");
  if (isLoaded(plain)) {
    writeLoaded(out, plain, collect);
    return;
  }
  for (const word of wordsOf(plain)) {
    if (isLoaded(word)) writeLoaded(out, word, collect);
    else writeWord(out, word, termsOf(word), collect);
  }
}

/** Puts the text into `input`; false where it has more than ASCII. */
function isLoaded(text: string): boolean {
  const { length } = text;
  const { read, written } = encoder.encodeInto(text, input);
  input.fill(0, written, written + 2);
  return read === length && written === length;
}

/** Writes the terms of the text that is in `input` as well. */
function writeLoaded(out: TermBuffer, text: string, collect: IdentifierSet | undefined): void {
  const { length } = text;
  for (let at = 0; at < length;) {
    const end = endOfWord(input, at);
    if (end === at) {
      at += 1;
      continue;
    }
    const first = placeOf(at, end);
    let place = first;
    if (!isAt(place, at, end)) place = isAt(first + 1, at, end) ? first + 1 : -1;
    if (place >= 0) writeKnown(out, place, collect);
    else writeNew(out, first, ownCopy(text.slice(at, end)), collect);
    at = end;
  }
}

/** The first of the two places of the word from `start` to `end` of `input`. */
function placeOf(start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (input[at] ?? 0)) | 0;
  return 2 * ((hash ^ (hash >>> 15)) & (places / 2 - 1));
}

/** True where the word from `start` to `end` of `input` is the one in the place. */
function isAt(place: number, start: number, end: number): boolean {
  const first = place * placeSize;
  if (memory[first] !== end - start) return false;
  let known = first + wordAt;
  for (let at = start; at < end; at++) if (memory[known++] !== input[at]) return false;
  return true;
}

function writeKnown(out: TermBuffer, place: number, collect: IdentifierSet | undefined): void {
  const first = place * placeSize;
  const size = memory[first + 1] ?? 0;
  out.reserve(size);
  const { bytes, length } = out;
  for (let at = 0; at < size; at++) bytes[length + at] = memory[first + termsAt + at] ?? 0;
  out.length = length + size;
  out.terms += memory[first + 2] ?? 0;
  if (out.numbers !== undefined) numberKnown(out.numbers, place);
  if (collect !== undefined) addIdentifier(collect, wholes[place] ?? "", memory[first + 3] === 1);
}

/** Writes the numbers of the word's terms: those of its last time in this batch, or else those that the table has. */
function numberKnown(out: TermNumbers, place: number): void {
  const first = place * placeSize;
  if (batchOf[place] === out.batch) {
    out.repeat(numbersAt[place] ?? 0, memory[first + 2] ?? 0);
    return;
  }
  batchOf[place] = out.batch;
  numbersAt[place] = out.length;
  const end = first + termsAt + (memory[first + 1] ?? 0);
  for (let start = first + termsAt, at = start; at < end; at++) {
    if (memory[at] !== space) continue;
    out.add(memory, start, at);
    start = at + 1;
  }
}

/** Writes the terms of a word that is not in the memory, and puts it there if it fits. */
function writeNew(out: TermBuffer, place: number, word: string, collect: IdentifierSet | undefined): void {
  const terms = termsOf(word);
  const text = terms.length === 0 ? "" : `${terms.join(" ")} `;
  if (word.length > termsAt - wordAt || text.length > placeSize - termsAt) {
    writeWord(out, word, terms, collect);
    return;
  }
  const first = place * placeSize;
  memory.copyWithin(first + placeSize, first, first + placeSize);
  wholes[place + 1] = wholes[place] ?? "";
  batchOf[place + 1] = batchOf[place] = 0;
  memory[first] = word.length;
  memory[first + 1] = text.length;
  memory[first + 2] = terms.length;
  memory[first + 3] = Number(isCompound(word, terms));
  for (let at = 0; at < word.length; at++) memory[first + wordAt + at] = word.charCodeAt(at);
  for (let at = 0; at < text.length; at++) memory[first + termsAt + at] = text.charCodeAt(at);
  wholes[place] = wholeOf(terms);
  writeKnown(out, place, collect);
}

function writeWord(out: TermBuffer, word: string, terms: readonly string[], collect: IdentifierSet | undefined): void {
  for (const term of terms) out.add(term);
  if (collect !== undefined) addIdentifier(collect, wholeOf(terms), isCompound(word, terms));
}

function wholeOf(terms: readonly string[]): string {
  const last = terms.at(-1) ?? "";
  return last.length > 1 ? last : "";
}

/** True for an identifier of several parts. */
function isCompound(word: string, terms: readonly string[]): boolean {
  return terms.length > 1 && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(word);
}

function addIdentifier({ found, compoundOnly, most }: IdentifierSet, whole: string, compound: boolean): void {
  if (whole !== "" && (compound || !compoundOnly) && found.size < most) found.add(whole);
}

/** A part of a text keeps all of the text in memory; the copy keeps itself. */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

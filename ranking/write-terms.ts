import type { TermNumbers } from "./term-numbers.ts";
import { termsOf } from "./terms.ts";
import { hasWholeAt, isCompoundAt, longestWord, remember, slotOf, takeWord, writeRemembered } from "./word-memory.ts";
import { endOfWord, longestText, wordsOf } from "./words.ts";

/** Collects identifiers, each as the number of one term. */
export interface IdentifierSet {
  /** True where only those of several parts count, false where every word is one. */
  readonly compoundOnly: boolean;
  readonly found: Set<number>;
  /** How many are collected. */
  readonly most: number;
}

/** Signs beyond ASCII that much English text has and that belong to no word: quotes, dashes, arrows, lines, pictures. */
const plainSigns =
  /[\u00a0\u00b7\u2010-\u2016\u2018-\u2027\u2190-\u21ff\u2500-\u25ff\u2600-\u2775\u27c0-\u27ef\u{1f300}-\u{1faff}]/gu;

/** The ASCII text in work, and zeros behind it. */
const input = new Uint8Array(longestText + 4);
const view = new DataView(input.buffer);
const encoder = new TextEncoder();

/** Writes the terms of a text, and collects the identifiers in it where asked to. */
export function writeTerms(out: TermNumbers, text: string, collect?: IdentifierSet): void {
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
  input.fill(0, written, written + 4);
  return read === length && written === length;
}

/** Writes the terms of the text that is in `input` as well. */
function writeLoaded(out: TermNumbers, text: string, collect: IdentifierSet | undefined): void {
  const { length } = text;
  for (let at = 0; at < length;) {
    const end = endOfWord(input, at);
    if (end === at) {
      at += 1;
      continue;
    }
    const size = end - at;
    if (size > longestWord) writeLong(out, text.slice(at, end), collect);
    else {
      const hash = takeWord(view, at, size);
      let slot = slotOf(hash, size);
      if (slot < 0) {
        const word = ownCopy(text.slice(at, end));
        const terms = termsOf(word);
        slot = remember(hash, size, terms, isCompound(word, terms));
      }
      if (slot < 0) writeLong(out, text.slice(at, end), collect);
      else {
        writeRemembered(out, slot);
        if (collect !== undefined && hasWholeAt(slot)) addIdentifier(collect, lastOf(out), isCompoundAt(slot));
      }
    }
    at = end;
  }
}

function writeLong(out: TermNumbers, part: string, collect: IdentifierSet | undefined): void {
  const word = ownCopy(part);
  writeWord(out, word, termsOf(word), collect);
}

function writeWord(out: TermNumbers, word: string, terms: readonly string[], collect: IdentifierSet | undefined): void {
  for (const term of terms) out.addText(term);
  const whole = terms.at(-1) ?? "";
  if (collect !== undefined && whole.length > 1) addIdentifier(collect, lastOf(out), isCompound(word, terms));
}

function lastOf({ numbers, length }: TermNumbers): number {
  return numbers[length - 1] ?? 0;
}

/** True for an identifier of several parts. */
function isCompound(word: string, terms: readonly string[]): boolean {
  return terms.length > 1 && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(word);
}

function addIdentifier({ found, compoundOnly, most }: IdentifierSet, whole: number, compound: boolean): void {
  if ((compound || !compoundOnly) && found.size < most) found.add(whole);
}

/** A part of a text keeps all of the text in memory; the copy keeps itself. */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

import type { TermNumbers } from "./term-numbers.ts";

/** Words that were analysed with their terms, of all texts of this thread. Only words in ASCII are remembered. */

/** Characters of the longest word that is remembered, and of the longest terms. */
export const longestWord = 64;
const longestTerms = 252;

/** A word is at the slot that its hash gives, or at one of the next few. A slot has the hash, and where the word's entry is. */
const slots = 65_536;
const mostProbes = 8;
const table = new Int32Array(2 * (slots + mostProbes));

/**
 * Entries one behind the other: the word's length, the bytes and the number of its terms, and what it is, a byte each; the
 * batch in which its terms were numbered last; then the word, and its terms with a space behind each, four characters in a
 * number, so that most words are compared in two steps; then the numbers of its terms. When there is no more room, all are
 * forgotten.
 */
const entries = new Int32Array(655_360);
const batchAt = 1;
const wordAt = 2;
let used = 1;
/** What a word is: an identifier of several parts; one whose last term, which is the whole of it, is long enough to tell. */
const compoundBit = 1;
const wholeBit = 2;

/** The word in work, as it is in an entry. */
const current = new Int32Array(longestWord / 4);
/** Which bits of a number are those of so many characters. */
const bitsOf = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1);
const space = 32;
/** The terms of the word in work, and room to write past their end. */
const text = new DataView(new ArrayBuffer(longestTerms + 4));
const textBytes = new Uint8Array(text.buffer);

/** Takes the word of `size` characters at byte `start`; three bytes more are there to be read. Answers its hash. */
export function takeWord(bytes: DataView, start: number, size: number): number {
  let hash = size;
  for (let at = 0, to = 0; at < size; at += 4, to++) {
    const four = bytes.getInt32(start + at, true) & (bitsOf[Math.min(size - at, 4)] ?? 0);
    current[to] = four;
    hash = Math.imul(hash ^ four, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** The slot of the word that was taken; negative where it is not remembered. */
export function slotOf(hash: number, size: number): number {
  const first = hash & (slots - 1);
  for (let slot = first; slot < first + mostProbes; slot++) {
    const entry = table[2 * slot + 1] ?? 0;
    if (entry === 0) return -1;
    if (table[2 * slot] === hash && isAt(entry, size)) return slot;
  }
  return -1;
}

/** True where the word that was taken is the one of the entry. */
function isAt(entry: number, size: number): boolean {
  if (((entries[entry] ?? 0) & 0xff) !== size) return false;
  for (let at = 0; 4 * at < size; at++) if (entries[entry + wordAt + at] !== current[at]) return false;
  return true;
}

/** Remembers the word that was taken, and its terms; answers its slot, a negative number where they are too long. */
export function remember(hash: number, size: number, terms: readonly string[], compound: boolean): number {
  const joined = terms.length === 0 ? "" : `${terms.join(" ")} `;
  if (joined.length > longestTerms) return -1;
  const termsAt = wordAt + Math.ceil(size / 4);
  const need = termsAt + Math.ceil(joined.length / 4) + terms.length;
  if (used + need > entries.length) {
    table.fill(0);
    used = 1;
  }
  const entry = used;
  used += need;
  entries.fill(0, entry, used);
  const kind = (compound ? compoundBit : 0) | ((terms.at(-1) ?? "").length > 1 ? wholeBit : 0);
  entries[entry] = size | (joined.length << 8) | (terms.length << 16) | (kind << 24);
  for (let at = wordAt; at < termsAt; at++) entries[entry + at] = current[at - wordAt] ?? 0;
  for (let at = 0; at < joined.length; at++) {
    const to = entry + termsAt + (at >> 2);
    entries[to] = (entries[to] ?? 0) | (joined.charCodeAt(at) << (8 * (at & 3)));
  }
  const slot = freeSlot(hash);
  table[2 * slot] = hash;
  table[2 * slot + 1] = entry;
  return slot;
}

/** Where many words have the same place, a new one takes over the first. */
function freeSlot(hash: number): number {
  const first = hash & (slots - 1);
  for (let slot = first; slot < first + mostProbes; slot++) if (table[2 * slot + 1] === 0) return slot;
  return first;
}

/** Whether the last term of the word at a slot is long enough to tell. */
export function hasWholeAt(slot: number): boolean {
  return (kindAt(slot) & wholeBit) !== 0;
}

/** True for an identifier of several parts. */
export function isCompoundAt(slot: number): boolean {
  return (kindAt(slot) & compoundBit) !== 0;
}

function kindAt(slot: number): number {
  return (entries[table[2 * slot + 1] ?? 0] ?? 0) >> 24;
}

/** Writes the terms of the word at a slot. */
export function writeRemembered(out: TermNumbers, slot: number): void {
  const entry = table[2 * slot + 1] ?? 0;
  const head = entries[entry] ?? 0;
  const size = (head >> 8) & 0xff;
  const terms = (head >> 16) & 0xff;
  const textAt = entry + wordAt + (((head & 0xff) + 3) >> 2);
  const numbersAt = textAt + ((size + 3) >> 2);
  out.reserve(terms);
  if (entries[entry + batchAt] !== out.batch) {
    numberTerms(out, textAt, size, numbersAt);
    entries[entry + batchAt] = out.batch;
  }
  const { numbers, length } = out;
  for (let at = 0; at < terms; at++) numbers[length + at] = entries[numbersAt + at] ?? 0;
  out.length = length + terms;
}

/** Has the terms of an entry, `size` bytes at `textAt`, numbered. */
function numberTerms({ table: terms }: TermNumbers, textAt: number, size: number, numbersAt: number): void {
  for (let at = 0; at < size; at += 4) text.setInt32(at, entries[textAt + (at >> 2)] ?? 0, true);
  let to = numbersAt;
  for (let from = 0, at = 0; at < size; at++) {
    if (textBytes[at] !== space) continue;
    entries[to++] = terms.numberOf(textBytes, from, at);
    from = at + 1;
  }
}

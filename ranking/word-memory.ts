import type { TermBuffer } from "./term-buffer.ts";
import type { TermNumbers } from "./term-numbers.ts";

/** Words that were analysed with their terms, of all texts of this thread. Only words in ASCII are remembered. */

/** Characters of the longest word that is remembered, and of the longest terms. */
export const longestWord = 64;
const longestTerms = 252;

/** A word is at the slot that its hash gives, or at one of the next few. A slot has the hash, and where the word's entry is. */
const slots = 65_536;
const mostProbes = 8;
const table = new Int32Array(2 * (slots + mostProbes));
/** The last term of the word of each slot, which is the whole of an identifier; "" where it is too short to tell. */
const wholes: string[] = Array.from({ length: slots + mostProbes }, () => "");

/**
 * Entries one behind the other: the word's length, the bytes and the number of its terms, and 1 for an identifier of
 * several parts, a byte each; the batch in which its terms were numbered last, and where their numbers begin there; then
 * the word, and its terms with a space behind each, four characters in a number: most words are compared and copied in two
 * steps. When there is no more room, all are forgotten.
 */
const entries = new Int32Array(524_288);
const batchAt = 1;
const numbersAt = 2;
const wordAt = 3;
let used = 1;

/** The word in work, as it is in an entry. */
const current = new Int32Array(longestWord / 4);
/** Which bits of a number are those of so many characters. */
const bitsOf = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1);
const space = 32;

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
  const text = terms.length === 0 ? "" : `${terms.join(" ")} `;
  if (text.length > longestTerms) return -1;
  const termsAt = wordAt + Math.ceil(size / 4);
  const need = termsAt + Math.ceil(text.length / 4);
  if (used + need > entries.length) {
    table.fill(0);
    used = 1;
  }
  const entry = used;
  used += need;
  entries.fill(0, entry, used);
  entries[entry] = size | (text.length << 8) | (terms.length << 16) | (Number(compound) << 24);
  for (let at = wordAt; at < termsAt; at++) entries[entry + at] = current[at - wordAt] ?? 0;
  for (let at = 0; at < text.length; at++) {
    const to = entry + termsAt + (at >> 2);
    entries[to] = (entries[to] ?? 0) | (text.charCodeAt(at) << (8 * (at & 3)));
  }
  const slot = freeSlot(hash);
  table[2 * slot] = hash;
  table[2 * slot + 1] = entry;
  const whole = terms.at(-1) ?? "";
  wholes[slot] = whole.length > 1 ? whole : "";
  return slot;
}

/** Where many words have the same place, a new one takes over the first. */
function freeSlot(hash: number): number {
  const first = hash & (slots - 1);
  for (let slot = first; slot < first + mostProbes; slot++) if (table[2 * slot + 1] === 0) return slot;
  return first;
}

/** The whole of the identifier at a slot; "" for a word too short to tell. */
export function wholeAt(slot: number): string {
  return wholes[slot] ?? "";
}

/** True for an identifier of several parts. */
export function isCompoundAt(slot: number): boolean {
  return (entries[table[2 * slot + 1] ?? 0] ?? 0) >> 24 === 1;
}

/** Writes the terms of the word at a slot. */
export function writeRemembered(out: TermBuffer, slot: number): void {
  const entry = table[2 * slot + 1] ?? 0;
  const head = entries[entry] ?? 0;
  const size = (head >> 8) & 0xff;
  const terms = (head >> 16) & 0xff;
  // Up to three bytes more are written, and written over by what comes next.
  out.reserve(size + 3);
  const { view, length } = out;
  let from = entry + wordAt + (((head & 0xff) + 3) >> 2);
  for (let at = 0; at < size; at += 4) view.setInt32(length + at, entries[from++] ?? 0, true);
  out.length = length + size;
  out.terms += terms;
  if (out.numbers !== undefined) writeNumbers(out, out.numbers, entry, terms, length);
}

/** Writes the numbers of terms, which begin at byte `start`: those of their last time in this batch, or those that the table has. */
function writeNumbers(out: TermBuffer, numbers: TermNumbers, entry: number, terms: number, start: number): void {
  if (entries[entry + batchAt] === numbers.batch) {
    numbers.repeat(entries[entry + numbersAt] ?? 0, terms);
    return;
  }
  entries[entry + batchAt] = numbers.batch;
  entries[entry + numbersAt] = numbers.length;
  for (let from = start, at = start; at < out.length; at++) {
    if (out.bytes[at] !== space) continue;
    numbers.add(out.bytes, from, at);
    from = at + 1;
  }
}

import { createTermTable, enlarged } from "./term-table.ts";

/** Tells batches apart, whosever they are. */
let batches = 0;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A term in UTF-8, overwritten by the next. */
let encoded = new Uint8Array(256);

/** The terms of a batch of texts as numbers, one behind the other. Equal terms have the same number. */
export class TermNumbers {
  /** What the numbers stand for. */
  readonly table = createTermTable();
  /** What is written, and room behind it. */
  numbers: Uint32Array = new Uint32Array(0);
  /** Numbers that are written. */
  length = 0;
  /** Identifies the batch: as long as it is the same, a term keeps its number. */
  batch = ++batches;
  /** Terms that were asked for, by their numbers. */
  readonly #texts: string[] = [];

  /** Adds the term from `start` to `end` of `bytes`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.push(this.table.numberOf(bytes, start, end));
  }

  /** Adds a term. */
  addText(term: string): void {
    this.add(encoded, 0, encode(term));
  }

  /** Adds a term by its number. */
  push(number: number): void {
    this.reserve(1);
    this.numbers[this.length++] = number;
  }

  /** The terms from number `from` to number `to`. */
  texts(from = 0, to: number = this.length): string[] {
    const texts: string[] = [];
    for (let at = from; at < to; at += 1) {
      const number = this.numbers[at] ?? 0;
      texts.push((this.#texts[number] ??= this.#textOf(number)));
    }
    return texts;
  }

  /** Begins another batch. */
  clear(): void {
    this.table.clear();
    this.length = 0;
    this.batch = ++batches;
    this.#texts.length = 0;
  }

  /** Sees to it that there is room for so many numbers more. */
  reserve(more: number): void {
    if (this.length + more > this.numbers.length) this.numbers = enlarged(this.numbers, 2 * (this.length + more));
  }

  #textOf(number: number): string {
    const { bytes, ends } = this.table.text();
    return decoder.decode(bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]));
  }
}

/** Writes a term into `encoded`, and answers how many bytes it has. */
function encode(term: string): number {
  // Three bytes are the most that a character of a string takes.
  if (encoded.length < 3 * term.length) encoded = new Uint8Array(6 * term.length);
  // Most terms are short and ASCII; the encoder takes longer to call.
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    if (code >= 128) return encoder.encodeInto(term, encoded).written;
    encoded[at] = code;
  }
  return term.length;
}

import { createTermTable, enlarged } from "./term-table.ts";

/** Tells batches apart, whosever they are. */
let batches = 0;

/** The terms of a batch of texts as numbers, one behind the other. Equal terms have the same number. */
export class TermNumbers {
  /** What the numbers stand for. */
  readonly table = createTermTable();
  /** What is written, and room behind it. */
  numbers: Uint32Array = new Uint32Array(0);
  /** Numbers that are written. */
  length = 0;
  /** Identifies the batch: where a number was written before, it is still there. */
  batch = ++batches;

  /** Adds the term from `start` to `end` of `bytes`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(1);
    this.numbers[this.length++] = this.table.numberOf(bytes, start, end);
  }

  /** Adds so many numbers again, those from `first` on. */
  repeat(first: number, count: number): void {
    this.#reserve(count);
    const { numbers, length } = this;
    for (let at = 0; at < count; at++) numbers[length + at] = numbers[first + at] ?? 0;
    this.length = length + count;
  }

  /** Begins another batch. */
  clear(): void {
    this.table.clear();
    this.length = 0;
    this.batch = ++batches;
  }

  #reserve(more: number): void {
    if (this.length + more > this.numbers.length) this.numbers = enlarged(this.numbers, 2 * (this.length + more));
  }
}

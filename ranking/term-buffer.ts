import type { TermNumbers } from "./term-numbers.ts";

const space = 32;
const lineBreak = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Text as UTF-8 that grows at its end. */
export class ByteBuffer {
  /** What is written, and room behind it. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The same, for numbers of several bytes. */
  view: DataView<ArrayBuffer>;
  /** Bytes that are written. */
  length = 0;

  constructor(room: number) {
    this.bytes = new Uint8Array(room);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Sees to it that there is room for so many bytes more. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  /** Adds a text. */
  write(text: string): void {
    // Three bytes are the most that a character of a string takes.
    this.reserve(3 * text.length);
    this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  /** Adds the bytes from `start` to `end` of others. */
  append(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    if (end - start > 64) this.bytes.set(bytes.subarray(start, end), this.length);
    else for (let at = start, to = this.length; at < end; at++, to++) this.bytes[to] = bytes[at] ?? 0;
    this.length += end - start;
  }

  /** Adds a line break. */
  endLine(): void {
    this.reserve(1);
    this.bytes[this.length++] = lineBreak;
  }

  /** What is written from byte `start` on, as a string. */
  text(start: number): string {
    return decoder.decode(this.bytes.subarray(start, this.length));
  }
}

/** Analysed fields: the terms of a field joined with single spaces, a line break behind each field. */
export class TermBuffer extends ByteBuffer {
  /** Terms that are written. */
  terms = 0;
  /** Where the terms are written as numbers, too. */
  readonly numbers: TermNumbers | undefined;

  constructor(room: number, numbers?: TermNumbers) {
    super(room);
    this.numbers = numbers;
  }

  /** Adds a term to the field. */
  add(term: string): void {
    const start = this.length;
    this.addUnnumbered(term);
    this.numbers?.add(this.bytes, start, this.length - 1);
  }

  /** As `add`, without a number. */
  addUnnumbered(term: string): void {
    this.reserve(3 * term.length + 1);
    const { bytes, length } = this;
    let size = 0;
    // Most terms are short and ASCII; the encoder takes longer to call.
    for (; size < term.length && term.charCodeAt(size) < 128; size++) bytes[length + size] = term.charCodeAt(size);
    this.length = length + size;
    if (size < term.length) this.write(term.slice(size));
    this.bytes[this.length++] = space;
    this.terms += 1;
  }

  /** Ends the field that began at byte `start`. */
  endField(start: number): void {
    if (this.length > start) this.length -= 1;
    this.endLine();
  }
}

const lineBreak = 10;
const encoder = new TextEncoder();

/** Text as UTF-8 that grows at its end. */
export class ByteBuffer {
  /** What is written, and room behind it. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes that are written. */
  length = 0;

  constructor(room: number) {
    this.bytes = new Uint8Array(room);
  }

  /** Sees to it that there is room for so many bytes more. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
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
}

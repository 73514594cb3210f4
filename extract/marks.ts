/** What the passes over all pages need to know of a passage. */
export interface PassageMark {
  /** Equal for lines that serve the same, whatever revision and address they were read at; 22 characters of ASCII. */
  readonly digest: string;
  /** Equal for passages that say the same, wherever they stand; 22 characters of ASCII. */
  readonly sameness: string;
  /** Equal for passages that stand under the same heading; 11 characters of ASCII. */
  readonly heading: string;
  /** Equal for passages that say the same, whatever they are called and wherever their links lead; 11 characters of ASCII. */
  readonly text: string;
  /** Blocks of code that are one to readers. */
  readonly examples: number;
  readonly hasProse: boolean;
  readonly tokens: number;
  /** Names all that a passage says in which the screen has found something, for a release; 22 characters of ASCII, "" for others. */
  readonly releaseKey: string;
}

/** Where each part of a mark begins in its record, in bytes. */
const digestAt = 0;
const digestSize = 22;
const samenessAt = digestAt + digestSize;
const headingAt = samenessAt + digestSize;
const headingSize = 11;
const textAt = headingAt + headingSize;
const tokensAt = textAt + headingSize;
const examplesAt = tokensAt + 4;
const flagsAt = examplesAt + 4;
const releaseKeyAt = flagsAt + 1;
const markSize = releaseKeyAt + digestSize;
const isProse = 1;
const hasReleaseKey = 2;

/**
 * Marks as an array of records of fixed size: as objects they take several times as long, and as much memory, to
 * be handed from thread to thread.
 */
export function packMarks(marks: readonly PassageMark[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(marks.length * markSize);
  const packed = Buffer.from(bytes.buffer);
  for (const [index, { digest, sameness, heading, text, examples, hasProse, tokens, releaseKey }] of marks.entries()) {
    const at = index * markSize;
    packed.write(digest, at + digestAt, digestSize, "latin1");
    packed.write(sameness, at + samenessAt, digestSize, "latin1");
    packed.write(heading, at + headingAt, headingSize, "latin1");
    packed.write(text, at + textAt, headingSize, "latin1");
    packed.writeUInt32LE(tokens, at + tokensAt);
    packed.writeUInt32LE(examples, at + examplesAt);
    packed[at + flagsAt] = (hasProse ? isProse : 0) | (releaseKey === "" ? 0 : hasReleaseKey);
    packed.write(releaseKey, at + releaseKeyAt, digestSize, "latin1");
  }
  return bytes;
}

/** How many marks there are. */
export function countMarks(packed: Uint8Array): number {
  return packed.length / markSize;
}

/** In how many the screen has found something. */
export function countFindings(packed: Uint8Array): number {
  let count = 0;
  for (let at = flagsAt; at < packed.length; at += markSize) if (((packed[at] ?? 0) & hasReleaseKey) !== 0) count++;
  return count;
}

/** A mark as it is packed; its bytes are those of the pack. */
export interface PackedMark extends Omit<PassageMark, "digest"> {
  readonly digest: Uint8Array;
}

/** The mark with this number, from 0 on. */
export function readMark({ buffer, byteOffset, length }: Uint8Array, index: number): PackedMark {
  const packed = Buffer.from(buffer, byteOffset, length);
  const at = index * markSize;
  const flags = packed[at + flagsAt] ?? 0;
  return {
    digest: packed.subarray(at + digestAt, at + digestAt + digestSize),
    sameness: packed.toString("latin1", at + samenessAt, at + samenessAt + digestSize),
    heading: packed.toString("latin1", at + headingAt, at + headingAt + headingSize),
    text: packed.toString("latin1", at + textAt, at + textAt + headingSize),
    examples: packed.readUInt32LE(at + examplesAt),
    hasProse: (flags & isProse) !== 0,
    tokens: packed.readUInt32LE(at + tokensAt),
    releaseKey: (flags & hasReleaseKey) === 0 ? "" : packed.toString("latin1", at + releaseKeyAt, at + markSize),
  };
}

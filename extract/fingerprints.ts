/** What the passes over all pages compare and count of a passage. */
export interface PassageFingerprint {
  /** Equal for lines that serve the same, whatever revision and address they were read at; 22 characters of ASCII. */
  readonly digest: string;
  /** Equal for passages that say the same, wherever they stand; 22 characters of ASCII. */
  readonly sameness: string;
  /** Equal for passages that stand under the same heading; 11 characters of ASCII. */
  readonly heading: string;
  /** Equal for passages that say the same, whatever they are called and wherever their links lead; 11 characters of ASCII. */
  readonly text: string;
  /** Number of its examples. */
  readonly examples: number;
  readonly hasProse: boolean;
  /** It has prose beside what explains its examples: an info snippet of the JSON form. */
  readonly hasOwnProse: boolean;
  readonly tokens: number;
  /** What a release of a passage with findings names it by (`releaseKeyOf`), 22 characters of ASCII; "" without findings. */
  readonly releaseKey: string;
}

/** Where each field begins in its record, in bytes. */
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
const recordSize = releaseKeyAt + digestSize;
const isProse = 1;
const hasReleaseKey = 2;
const isOwnProse = 4;

/**
 * Fingerprints as records of fixed size: as objects they take several times as long, and as much memory, to be handed
 * from thread to thread.
 */
export function packFingerprints(fingerprints: readonly PassageFingerprint[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fingerprints.length * recordSize);
  const packed = Buffer.from(bytes.buffer);
  for (const [
    index,
    { digest, sameness, heading, text, examples, hasProse, hasOwnProse, tokens, releaseKey },
  ] of fingerprints.entries()) {
    const at = index * recordSize;
    packed.write(digest, at + digestAt, digestSize, "latin1");
    packed.write(sameness, at + samenessAt, digestSize, "latin1");
    packed.write(heading, at + headingAt, headingSize, "latin1");
    packed.write(text, at + textAt, headingSize, "latin1");
    packed.writeUInt32LE(tokens, at + tokensAt);
    packed.writeUInt32LE(examples, at + examplesAt);
    packed[at + flagsAt] =
      (hasProse ? isProse : 0) | (hasOwnProse ? isOwnProse : 0) | (releaseKey === "" ? 0 : hasReleaseKey);
    packed.write(releaseKey, at + releaseKeyAt, digestSize, "latin1");
  }
  return bytes;
}

/** Number of packed fingerprints. */
export function countFingerprints(packed: Uint8Array): number {
  return packed.length / recordSize;
}

/** Number of packed fingerprints of passages with findings of the screen. */
export function countFindings(packed: Uint8Array): number {
  let count = 0;
  for (let at = flagsAt; at < packed.length; at += recordSize) if (((packed[at] ?? 0) & hasReleaseKey) !== 0) count++;
  return count;
}

/** A fingerprint as it is packed; the digest shares its bytes with the pack. */
export interface PackedFingerprint extends Omit<PassageFingerprint, "digest"> {
  readonly digest: Uint8Array;
}

/** The packed fingerprint at an index. */
export function readFingerprint({ buffer, byteOffset, length }: Uint8Array, index: number): PackedFingerprint {
  const packed = Buffer.from(buffer, byteOffset, length);
  const at = index * recordSize;
  const flags = packed[at + flagsAt] ?? 0;
  return {
    digest: packed.subarray(at + digestAt, at + digestAt + digestSize),
    sameness: packed.toString("latin1", at + samenessAt, at + samenessAt + digestSize),
    heading: packed.toString("latin1", at + headingAt, at + headingAt + headingSize),
    text: packed.toString("latin1", at + textAt, at + textAt + headingSize),
    examples: packed.readUInt32LE(at + examplesAt),
    hasProse: (flags & isProse) !== 0,
    hasOwnProse: (flags & isOwnProse) !== 0,
    tokens: packed.readUInt32LE(at + tokensAt),
    releaseKey: (flags & hasReleaseKey) === 0 ? "" : packed.toString("latin1", at + releaseKeyAt, at + recordSize),
  };
}

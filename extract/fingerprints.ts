/** The facts of a passage that the passes over all pages compare and count. */
export interface PassageFingerprint {
  /** Equal for lines with the same content, at any revision and address; 22 ASCII characters. */
  readonly digest: string;
  /** Equal for passages with the same title and text, on any page; 22 ASCII characters. */
  readonly sameness: string;
  /** Equal for passages under the same heading; 11 ASCII characters. */
  readonly heading: string;
  /** Equal for passages with the same text, whatever their titles and link targets; 11 ASCII characters. */
  readonly text: string;
  /** Number of its examples. */
  readonly examples: number;
  readonly hasProse: boolean;
  /** It has prose besides the descriptions of its examples: an info snippet of the JSON form. */
  readonly hasOwnProse: boolean;
  readonly tokens: number;
  /** The key to release a passage with findings (`releaseKeyOf`), 22 ASCII characters; "" without findings. */
  readonly releaseKey: string;
}

/** Offset of each field in its record, in bytes. */
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

/** Packs fingerprints into records of fixed size: objects take several times the time and memory to pass between threads. */
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

/** The number of packed fingerprints. */
export function countFingerprints(packed: Uint8Array): number {
  return packed.length / recordSize;
}

/** The number of packed fingerprints whose passages have findings. */
export function countFindings(packed: Uint8Array): number {
  let count = 0;
  for (let at = flagsAt; at < packed.length; at += recordSize) if (((packed[at] ?? 0) & hasReleaseKey) !== 0) count++;
  return count;
}

/** An unpacked fingerprint, whose digest is a view into the pack. */
export interface PackedFingerprint extends Omit<PassageFingerprint, "digest"> {
  readonly digest: Uint8Array;
}

/** Unpacks the fingerprint at an index. */
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

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createInflate, inflateSync } from "node:zlib";
import { release } from "../../../domain/release.ts";

/** A pack that is broken. The message is part of a sentence. */
export class PackError extends Error {
  override readonly name = "PackError";
  /** True where bytes are missing at its end. */
  readonly breaksOff: boolean;

  constructor(message: string, { breaksOff = false, cause }: { breaksOff?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.breaksOff = breaksOff;
  }
}

/** A pack, in memory or on the disk. */
export interface PackFile {
  /** Where it is on the disk; names it where it is not. */
  readonly path: string;
  /** Its length in bytes. */
  readonly size: number;
  /** Itself, where it is in memory. */
  readonly bytes: Buffer | null;
}

/** Types of objects, at the number that stands for them in a pack (gitformat-pack). */
const types = ["", "commit", "tree", "blob", "tag"] as const;
export type ObjectType = Exclude<(typeof types)[number], "">;

/** What stands at a place of a pack: an object, or how it differs from another one. */
export interface PackEntry {
  /** What it is; null for a difference. */
  readonly type: ObjectType | null;
  /** Of a difference: where the other object stands in this pack, or its id. */
  readonly base: number | string | null;
  /** Length of what is packed, in bytes. */
  readonly size: number;
  /** Where the packed bytes begin. */
  readonly at: number;
}

/** Reads places of packs, several out of one read of the file. */
export interface PackWindow {
  /** The number of entries that a pack announces. @throws PackError where it is none */
  count(file: PackFile): Promise<number>;
  /** @throws PackError */
  entry(file: PackFile, at: number): Promise<PackEntry>;
  /** What is packed, in memory of its own, and where the next entry begins. @throws PackError */
  inflate(file: PackFile, entry: PackEntry): Promise<{ readonly bytes: Uint8Array; readonly end: number }>;
}

/** Where the first entry begins. */
export const firstEntry = 12;
/** Bytes of the checksum behind the last entry. */
const trailer = 20;
/** Bytes that are read at once. */
const windowSize = 2 ** 18;
/** The longest head of an entry. */
const maxHead = 40;
/** Entries beyond are made to wear us out: a million objects have 60 MB of ids. */
const maxEntries = 1_000_000;

/** Creates a window, which keeps the bytes that it read last. */
export function createPackWindow(): PackWindow {
  let buffer = Buffer.alloc(0);
  let path = "";
  let start = 0;
  let end = 0;

  /** The bytes from a place on: so many, or as many as there are. */
  async function view(file: PackFile, at: number, length: number): Promise<Buffer> {
    const wanted = Math.min(file.size - trailer, at + length);
    if (wanted <= at) throw brokenOff();
    if (file.bytes !== null) return file.bytes.subarray(at, wanted);
    if (file.path !== path || at < start || wanted > end) await load(file, at, wanted - at);
    return buffer.subarray(at - start, end - start);
  }

  async function load(file: PackFile, at: number, atLeast: number): Promise<void> {
    const length = Math.min(Math.max(windowSize, atLeast), file.size - trailer - at);
    [path, start, end] = ["", 0, 0];
    // A long object is read for once.
    if (buffer.length < length || buffer.length > windowSize)
      buffer = Buffer.allocUnsafeSlow(Math.max(length, windowSize));
    const handle = await open(file.path);
    try {
      let read = 0;
      while (read < length) {
        const { bytesRead } = await handle.read(buffer, read, length - read, at + read);
        if (bytesRead === 0) throw brokenOff();
        read += bytesRead;
      }
    } finally {
      await handle.close();
    }
    [path, start, end] = [file.path, at, at + length];
  }

  return {
    async count(file) {
      const head = await view(file, 0, firstEntry);
      if (head.toString("latin1", 0, 4) !== "PACK" || head.readUInt32BE(4) !== 2)
        throw new PackError("what it sent is no pack of version 2");
      const count = head.readUInt32BE(8);
      if (count > maxEntries) throw new PackError(`its pack has more than ${maxEntries} objects`);
      return count;
    },
    entry: async (file, at) => parseEntry(await view(file, at, maxHead), at),
    async inflate(file, entry) {
      // Deflate makes nothing this much longer than it is (zlib's compressBound).
      const packed = await view(file, entry.at, entry.size + (entry.size >> 3) + 1024);
      return inflateEntry(packed, entry);
    },
  };
}

/** Smaller buffers are parts of a pool, which is kept as long as any of them. */
const leastChunk = Buffer.poolSize;

/** Unpacks into memory that is given back at once, as a garbage collection would come late. */
function inflateEntry(packed: Buffer, { size, at }: PackEntry): { bytes: Uint8Array; end: number } {
  try {
    const chunkSize = Math.max(leastChunk, size + 1);
    // The types do not know what `info` does.
    const { buffer, engine } = inflateSync(packed, {
      info: true,
      chunkSize,
      maxOutputLength: size + 1,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length !== size) throw new PackError("an object is shorter or longer than announced");
    const bytes = new Uint8Array(buffer);
    release(buffer, chunkSize);
    return { bytes, end: at + engine.bytesWritten };
  } catch (error) {
    throw toPackError(error);
  }
}

/**
 * Passes over an object that is too large to be held, piece by piece, and answers where the next entry begins.
 * @throws PackError
 */
export async function passOver(
  file: PackFile,
  { size, at }: PackEntry,
  take: (bytes: Uint8Array) => void,
): Promise<number> {
  const inflate = createInflate();
  const end = file.size - trailer;
  if (end <= at) throw brokenOff();
  const packed = file.bytes
    ? Readable.from([file.bytes.subarray(at, end)])
    : createReadStream(file.path, { start: at, end: end - 1 });
  // What goes wrong with the file is thrown where the pieces are taken.
  pipeline(packed, inflate, () => {});
  let length = 0;
  try {
    for await (const bytes of inflate as AsyncIterable<Buffer>) {
      length += bytes.length;
      if (length > size) break;
      take(bytes);
    }
  } catch (error) {
    throw toPackError(error);
  }
  if (length !== size) throw new PackError("an object is shorter or longer than announced");
  return at + inflate.bytesWritten;
}

/** Type and size in bits of a first byte and those behind it; of a difference also what it differs from. */
function parseEntry(bytes: Buffer, start: number): PackEntry {
  let at = 0;
  const next = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw brokenOff();
    at += 1;
    return byte;
  };
  let byte = next();
  const number = (byte >> 4) & 7;
  let size = byte & 15;
  for (let unit = 16; byte >= 0x80; unit *= 128) {
    byte = next();
    size += (byte & 0x7f) * unit;
    if (!Number.isSafeInteger(size)) throw new PackError("a size is broken");
  }
  const type = types[number];
  if (type !== undefined && type !== "") return { type, base: null, size, at: start + at };
  if (number === referenceDelta) {
    if (bytes.length < at + 20) throw brokenOff();
    return { type: null, base: bytes.toString("hex", at, at + 20), size, at: start + at + 20 };
  }
  if (number !== offsetDelta) throw new PackError("an object has a type that there is not");
  byte = next();
  let back = byte & 0x7f;
  while (byte >= 0x80) {
    byte = next();
    back = (back + 1) * 128 + (byte & 0x7f);
  }
  if (back === 0 || back > start - firstEntry) throw new PackError("a difference is to nothing");
  return { type: null, base: start - back, size, at: start + at };
}

const offsetDelta = 6;
const referenceDelta = 7;

function brokenOff(): PackError {
  return new PackError("the pack breaks off", { breaksOff: true });
}

function toPackError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "Z_BUF_ERROR") return new PackError("the pack breaks off", { breaksOff: true, cause: error });
  const isBroken = /^(?:Z_|ERR_BUFFER_TOO_LARGE$)/.test(String(error.code));
  return isBroken ? new PackError("an object is not packed rightly", { cause: error }) : error;
}

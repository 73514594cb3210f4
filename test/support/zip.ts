import { crc32, deflateRawSync } from "node:zlib";

/** A file of a zip, and wrong values for its headers. */
export interface ZippedFile {
  readonly path: string | Buffer;
  readonly body?: string | Buffer;
  /** Unix mode with the file type, such as 0o120777 for a symbolic link. */
  readonly mode?: number;
  /** Values in the central directory. */
  readonly listed?: {
    readonly size?: number;
    readonly packed?: number;
    readonly crc?: number;
    readonly method?: number;
    readonly at?: number;
  };
  /** Values in the local header. */
  readonly local?: {
    readonly path?: string;
    readonly size?: number;
    readonly packed?: number;
    readonly method?: number;
    readonly flags?: number;
  };
  /** Flags in the central directory, such as 1 for encryption. */
  readonly flags?: number;
  /** Sizes (unpacked, packed) for a zip64 extra field. */
  readonly zip64?: readonly [bigint, bigint];
}

/** A zip of these files; `end` overrides the values of its end record. */
export function zipOf(
  files: readonly ZippedFile[],
  end: { readonly count?: number; readonly size?: number; readonly at?: number } = {},
): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, body = "", mode = 0o100644, listed = {}, local = {}, flags = 0, zip64 } of files) {
    const bytes = Buffer.from(body);
    const packed = deflateRawSync(bytes);
    const [name, localName] = [Buffer.from(path), Buffer.from(local.path ?? path)];
    const [crc, extra] = [listed.crc ?? crc32(bytes), zip64 ? zip64Field(zip64) : Buffer.alloc(0)];
    const sizes = {
      size: zip64 ? 0xffffffff : (listed.size ?? bytes.length),
      packed: zip64 ? 0xffffffff : (listed.packed ?? packed.length),
    };
    const before = Buffer.alloc(30);
    before.writeUInt32LE(0x04034b50, 0);
    before.writeUInt16LE(20, 4);
    before.writeUInt16LE(local.flags ?? flags, 6);
    before.writeUInt16LE(local.method ?? 8, 8);
    before.writeUInt32LE(crc, 14);
    before.writeUInt32LE(local.packed ?? packed.length, 18);
    before.writeUInt32LE(local.size ?? bytes.length, 22);
    before.writeUInt16LE(localName.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    // Made on Unix, so that the mode is used.
    entry.writeUInt16LE((3 << 8) | 20, 4);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(listed.method ?? 8, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(sizes.packed, 20);
    entry.writeUInt32LE(sizes.size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(mode * 0x10000, 38);
    entry.writeUInt32LE(listed.at ?? at, 42);
    pieces.push(before, localName, packed);
    directory.push(entry, name, extra);
    at += before.length + localName.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(end.count ?? files.length, 8);
  last.writeUInt16LE(end.count ?? files.length, 10);
  last.writeUInt32LE(end.size ?? listing.length, 12);
  last.writeUInt32LE(end.at ?? at, 16);
  return Buffer.concat([...pieces, listing, last]);
}

function zip64Field([size, packed]: readonly [bigint, bigint]): Buffer {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(size, 4);
  field.writeBigUInt64LE(packed, 12);
  return field;
}

import { crc32 } from "node:zlib";
import { getFileNameLowLevel, openPromise } from "yauzl";
import type { Entry, ZipFile } from "yauzl";
import { damaged, refused, tooMuch } from "./archive.ts";
import type { ArchiveEntry, ArchiveFile, ArchiveRules } from "./archive.ts";

/** Kinds of files in the attributes of an entry that was made on Unix; 0: it was made elsewhere. */
const kindMask = 0o170000;
const fileKinds: ReadonlySet<number> = new Set([0, 0o100000]);
const linkKind = 0o120000;

/** What a field of 32 bits has where the truth is in one of 64. */
const elsewhere = 0xffffffff;
/** Bit of the flags: sizes and checksum follow the file, and its header has none. */
const sizesFollow = 8;

/**
 * The files of a zip, one after the other, in the order of its directory. A zip that other programs would read otherwise is refused: headers
 * that say something else than the directory, files that share their bytes, and those whose checksum differs.
 * @throws Failure source_invalid, library_too_large
 */
export async function* zipEntries(
  path: string,
  name: string,
  { wanted, maxUnpacked, signal }: ArchiveRules,
): AsyncGenerator<ArchiveFile> {
  let zip: ZipFile | undefined;
  let unpacked = 0;
  try {
    // Its own check of names would turn backslashes round and refuse without saying which: ours looks at all of them.
    zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    });
    const chosen: { readonly entry: Entry; readonly one: ArchiveEntry }[] = [];
    const extents: Extent[] = [];
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      extents.push(extentOf(entry));
      const one: ArchiveEntry = { path: nameOf(entry), type: typeOf(entry), size: entry.uncompressedSize };
      if (!wanted(one)) continue;
      unpacked += entry.uncompressedSize;
      if (unpacked > maxUnpacked) throw tooMuch(name, maxUnpacked);
      chosen.push({ entry, one });
    }
    if (doOverlap(extents)) throw refused(name, "files in it share their bytes");
    for (const { entry, one } of chosen) {
      signal.throwIfAborted();
      const problem = await problemOf(zip, entry);
      if (problem !== undefined) throw refused(name, `${JSON.stringify(one.path.slice(0, 100))} ${problem}`);
      const stream = await zip.openReadStreamPromise(entry);
      const bytes = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
      if (crc32(bytes) !== entry.crc32)
        throw refused(name, `the checksum of ${JSON.stringify(one.path.slice(0, 100))} differs`);
      yield { ...one, bytes };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(name, error);
  } finally {
    zip?.close();
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  // The character set of old zips has signs for control characters, and other programs take those bytes for what they are.
  if (fileNameRaw.some((byte) => byte < 0x20)) return fileNameRaw.toString("latin1");
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

function typeOf(entry: Entry): ArchiveEntry["type"] {
  const kind = (entry.externalFileAttributes >>> 16) & kindMask;
  if (kind === linkKind) return "link";
  return nameOf(entry).endsWith("/") || !fileKinds.has(kind) ? "other" : "file";
}

/** Why a file is not read, as the end of a sentence that begins with its path; undefined: it is. */
async function problemOf(zip: ZipFile, entry: Entry): Promise<string | undefined> {
  if (!entry.canDecodeFileData()) return "is encrypted, or compressed in a way that is not read";
  const local = await zip.readLocalFileHeaderPromise(entry);
  const followed = (local.generalPurposeBitFlag & sizesFollow) !== 0;
  const isSame = (own: number, listed: number): boolean => followed || own === elsewhere || own === listed;
  const agree =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    (local.generalPurposeBitFlag & 1) === (entry.generalPurposeBitFlag & 1) &&
    isSame(local.crc32, entry.crc32) &&
    isSame(local.compressedSize, entry.compressedSize) &&
    isSame(local.uncompressedSize, entry.uncompressedSize);
  return agree ? undefined : "has another header than the directory of the archive says";
}

/** Where an entry lies in the archive, in bytes from its start. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/** Size of the fixed part of the header before a file. */
const headerSize = 30;

function extentOf({ relativeOffsetOfLocalHeader: from, compressedSize, fileNameLength }: Entry): Extent {
  return { from, to: from + headerSize + fileNameLength + compressedSize };
}

/** A bomb may name the same bytes any number of times. */
function doOverlap(extents: readonly Extent[]): boolean {
  const sorted = extents.toSorted((one, other) => one.from - other.from);
  return sorted.some(({ from }, at) => from < (sorted[at - 1]?.to ?? 0));
}

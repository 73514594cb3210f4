import { crc32 } from "node:zlib";
import { getFileNameLowLevel, openPromise } from "yauzl";
import type { Entry, ZipFile } from "yauzl";
import { refused, toArchiveFailure } from "./archive.ts";
import type { ArchiveEntry, ArchiveFile, ArchiveRules } from "./archive.ts";

/** Kinds of files in the attributes of an entry that was made on Unix; 0: made on another system. */
const kindMask = 0o170000;
const fileKinds: ReadonlySet<number> = new Set([0, 0o100000]);
const linkKind = 0o120000;

/** Value of a field of 32 bits whose real value is in one of 64 (Zip64). */
const inZip64 = 0xffffffff;
/** Bit of the flags: sizes and checksum follow the file and are missing in its header. */
const sizesFollow = 8;

/**
 * Streams the wanted files of a zip in the order of its directory. A zip that other programs would read differently is refused: one with
 * headers that differ from the directory, files that overlap, or wrong checksums.
 * @throws Failure source_invalid, library_too_large
 */
export async function* zipEntries(
  path: string,
  name: string,
  { wanted }: Pick<ArchiveRules, "wanted">,
): AsyncGenerator<ArchiveFile> {
  let zip: ZipFile | undefined;
  try {
    // Names are checked by `wanted`: the check of yauzl replaces backslashes, and does not say which name it refuses.
    zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    });
    const chosen: { readonly entry: Entry; readonly file: string }[] = [];
    const extents: Extent[] = [];
    for await (const entry of zip.eachEntry()) {
      extents.push(extentOf(entry));
      const file = nameOf(entry);
      if (!wanted({ path: file, type: typeOf(entry, file), size: entry.uncompressedSize })) continue;
      chosen.push({ entry, file });
    }
    if (doOverlap(extents)) throw refused(name, "files in it share their bytes");
    for (const { entry, file } of chosen) {
      const problem = await problemOf(zip, entry);
      if (problem !== undefined) throw refused(name, `${JSON.stringify(file.slice(0, 100))} ${problem}`);
      const stream = await zip.openReadStreamPromise(entry);
      const bytes = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
      if (crc32(bytes) !== entry.crc32)
        throw refused(name, `the checksum of ${JSON.stringify(file.slice(0, 100))} differs`);
      yield { path: file, bytes };
    }
  } catch (error) {
    throw toArchiveFailure(name, error);
  } finally {
    zip?.close();
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  // CP437, the character set of old zips, prints control characters as signs, where other programs keep the bytes.
  if (fileNameRaw.some((byte) => byte < 0x20)) return fileNameRaw.toString("latin1");
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

function typeOf(entry: Entry, name: string): ArchiveEntry["type"] {
  const kind = (entry.externalFileAttributes >>> 16) & kindMask;
  if (kind === linkKind) return "link";
  return name.endsWith("/") || !fileKinds.has(kind) ? "other" : "file";
}

/** Why a file cannot be read, to follow its path in a sentence; undefined where it can. */
async function problemOf(zip: ZipFile, entry: Entry): Promise<string | undefined> {
  if (!entry.canDecodeFileData()) return "is encrypted, or compressed in a way that is not read";
  const local = await zip.readLocalFileHeaderPromise(entry);
  const followed = (local.generalPurposeBitFlag & sizesFollow) !== 0;
  const isSame = (own: number, listed: number): boolean => followed || own === inZip64 || own === listed;
  const agree =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    (local.generalPurposeBitFlag & 1) === (entry.generalPurposeBitFlag & 1) &&
    isSame(local.crc32, entry.crc32) &&
    isSame(local.compressedSize, entry.compressedSize) &&
    isSame(local.uncompressedSize, entry.uncompressedSize);
  return agree ? undefined : "has another header than the directory of the archive says";
}

/** The range of an entry in the archive, in bytes from its start. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/** Size of the fixed part of the header before a file. */
const headerSize = 30;

function extentOf({ relativeOffsetOfLocalHeader: from, compressedSize, fileNameLength }: Entry): Extent {
  return { from, to: from + headerSize + fileNameLength + compressedSize };
}

/** Whether entries overlap: a zip bomb may name the same bytes any number of times. */
function doOverlap(extents: readonly Extent[]): boolean {
  const sorted = extents.toSorted((one, other) => one.from - other.from);
  return sorted.some(({ from }, at) => from < (sorted[at - 1]?.to ?? 0));
}

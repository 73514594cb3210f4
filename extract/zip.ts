import { crc32 } from "node:zlib";
import { getFileNameLowLevel, type Entry, type Options, type ZipFile } from "yauzl";
import { Failure } from "../domain/failures.ts";

/** An entry in the directory of an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly type: "file" | "link" | "other";
  /** Unpacked size in bytes, as the archive claims. */
  readonly size: number;
}

/** An unpacked file. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** How an archive is read. */
export interface ArchiveRules {
  /** Whether an entry is unpacked; called for each. @throws Failure for an entry for which the archive is refused */
  wanted(entry: ArchiveEntry): boolean;
  /** Cap on the unpacked size, in bytes. */
  readonly maxUnpacked: number;
}

/** The failure for an archive that unpacks to more than is read. */
export function tooLarge(name: string, maxUnpacked: number): Failure {
  return new Failure(
    "library_too_large",
    `The archive of ${name} unpacks to more than the ${maxUnpacked} bytes that are read at most. Raise MAX_BYTES.`,
  );
}

/** The failure for a hostile archive; `why` ends its sentence. */
export function refused(name: string, why: string): Failure {
  return new Failure("source_invalid", `The archive of ${name} is refused: ${why}.`);
}

/** The error to throw where reading an archive failed: a Failure as it is, anything else as a damaged archive. */
export function toArchiveFailure(name: string, cause: unknown): unknown {
  if (cause instanceof Failure || !(cause instanceof Error)) return cause;
  return new Failure("source_invalid", `The archive of ${name} is damaged, or in another format than its name says.`, {
    cause,
  });
}

/** Kinds of files in the attributes of an entry that was made on Unix; 0: made on another system. */
const kindMask = 0o170000;
const fileKinds: ReadonlySet<number> = new Set([0, 0o100000]);
const linkKind = 0o120000;

/** Value of a 32-bit field whose real value is in a 64-bit field (Zip64). */
const inZip64 = 0xffffffff;
/** Flag: sizes and checksum follow the file and are missing in its header. */
const sizesFollow = 8;

/**
 * Streams the wanted files of a zip that `open` opens, in the order of its directory. A zip that other programs would read differently is refused: one with
 * headers that differ from the directory, files that overlap, or wrong checksums.
 * @throws Failure source_invalid, library_too_large
 */
export async function* zipEntries(
  open: (options: Options) => Promise<ZipFile>,
  name: string,
  { wanted }: Pick<ArchiveRules, "wanted">,
): AsyncGenerator<ArchiveFile> {
  let zip: ZipFile | undefined;
  try {
    // Names are checked by `wanted`: the check of yauzl replaces backslashes, and does not say which name it refuses.
    zip = await open({ lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true });
    const chosen: { readonly entry: Entry; readonly file: string }[] = [];
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      const file = nameOf(entry);
      if (wanted({ path: file, type: typeOf(entry, file), size: entry.uncompressedSize })) chosen.push({ entry, file });
    }
    if (doOverlap(entries)) throw refused(name, "files in it share their bytes");
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
  // CP437, the character set of old zips, has symbols for control characters; other programs keep the bytes.
  if (fileNameRaw.some((byte) => byte < 0x20)) return fileNameRaw.toString("latin1");
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

function typeOf(entry: Entry, name: string): ArchiveEntry["type"] {
  const kind = (entry.externalFileAttributes >>> 16) & kindMask;
  if (kind === linkKind) return "link";
  return name.endsWith("/") || !fileKinds.has(kind) ? "other" : "file";
}

/** Why a file cannot be read, to follow its path in a sentence; undefined if it can. */
async function problemOf(zip: ZipFile, entry: Entry): Promise<string | undefined> {
  if (!entry.canDecodeFileData()) return "is encrypted, or compressed in a way that is not read";
  const local = await zip.readLocalFileHeaderPromise(entry);
  const isFollowed = (local.generalPurposeBitFlag & sizesFollow) !== 0;
  const isSame = (own: number, listed: number): boolean => isFollowed || own === inZip64 || own === listed;
  const agree =
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    (local.generalPurposeBitFlag & 1) === (entry.generalPurposeBitFlag & 1) &&
    isSame(local.crc32, entry.crc32) &&
    isSame(local.compressedSize, entry.compressedSize) &&
    isSame(local.uncompressedSize, entry.uncompressedSize);
  return agree ? undefined : "has another header than the directory of the archive says";
}

/** Size of the fixed part of the header before a file. */
const headerSize = 30;

/** Whether entries overlap: a zip bomb may name the same bytes any number of times. */
function doOverlap(entries: readonly Entry[]): boolean {
  const ranges = entries.map(({ relativeOffsetOfLocalHeader: from, compressedSize, fileNameLength }) => ({
    from,
    to: from + headerSize + fileNameLength + compressedSize,
  }));
  ranges.sort((one, other) => one.from - other.from);
  return ranges.some(({ from }, at) => from < (ranges[at - 1]?.to ?? 0));
}

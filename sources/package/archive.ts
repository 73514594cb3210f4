import { Failure } from "../../domain/failures.ts";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip, crc32 } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from "yauzl";

/** An entry in the directory of an archive. */
interface ArchiveEntry {
  readonly path: string;
  readonly type: "file" | "link" | "other";
  /** Unpacked size in bytes, as the archive claims. */
  readonly size: number;
}

/** An unpacked file. */
interface ArchiveFile {
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
function toArchiveFailure(name: string, cause: unknown): unknown {
  if (cause instanceof Failure || !(cause instanceof Error)) return cause;
  return new Failure(
    "source_invalid",
    `The archive of ${name} is damaged, or in another format than its registry says.`,
    { cause },
  );
}

/** Types of entries that are files, and those that are links. */
const fileTypes: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile"]);
const linkTypes: ReadonlySet<string> = new Set(["Link", "SymbolicLink"]);

/** Size of unpacked chunks, in bytes. */
const chunkSize = 131_072;

/** Streams the wanted files of a gzipped tar, with one of them in memory. @throws Failure source_invalid, library_too_large */
export async function* tarEntries(
  path: string,
  name: string,
  { wanted, maxUnpacked }: ArchiveRules,
): AsyncGenerator<ArchiveFile> {
  const files: ArchiveFile[] = [];
  let problem: unknown;
  const parser = new Parser({
    // TAR_ENTRY_INFO is informational.
    onwarn: (code, message) => {
      if (code !== "TAR_ENTRY_INFO") problem ??= new Error(`${code}: ${String(message)}`);
    },
    onReadEntry(entry: ReadEntry) {
      const { path: file, size } = entry;
      let isWanted = false;
      try {
        isWanted = wanted({ path: file, type: tarEntryType(entry), size });
      } catch (error) {
        problem ??= error;
      }
      if (!isWanted) {
        entry.resume();
        return;
      }
      const pieces: Buffer[] = [];
      entry.on("data", (piece) => pieces.push(Buffer.from(piece)));
      entry.on("end", () => files.push({ path: file, bytes: Buffer.concat(pieces) }));
    },
  });
  // The parser detects compression by its first bytes, and would unpack more than `unpacked` counts: an empty block shows none.
  parser.write(Buffer.alloc(512));
  // Errors reach the iteration below.
  const stream = pipeline(createReadStream(path), createGunzip({ chunkSize }), () => undefined);
  let unpacked = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      unpacked += piece.length;
      if (unpacked > maxUnpacked) throw tooLarge(name, maxUnpacked);
      parser.write(piece);
      if (problem !== undefined) throw problem;
      yield* files.splice(0);
    }
    parser.end();
    if (problem !== undefined) throw problem;
    yield* files.splice(0);
  } catch (error) {
    throw toArchiveFailure(name, error);
  } finally {
    stream.destroy();
  }
}

function tarEntryType({ type }: ReadEntry): ArchiveEntry["type"] {
  return fileTypes.has(type) ? "file" : linkTypes.has(type) ? "link" : "other";
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

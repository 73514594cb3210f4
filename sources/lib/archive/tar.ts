import { createReadStream } from "node:fs";
import { PassThrough, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import {
  toArchiveFailure,
  tooLarge,
  type ArchiveEntry,
  type ArchiveFile,
  type ArchiveRules,
} from "../../../extract/zip.ts";
import { readBeginning } from "../disk/read-file.ts";

/** Types of entries that are files, and those that are links. */
const fileTypes: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile"]);
const linkTypes: ReadonlySet<string> = new Set(["Link", "SymbolicLink"]);

/** Size of unpacked chunks, in bytes. */
const chunkSize = 131_072;

/** Streams the wanted files of a tar, compressed with gzip or not, with one of them in memory. @throws Failure source_invalid, library_too_large */
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
  const begin = await readBeginning(path, 2);
  const unzip = begin?.[0] === 0x1f && begin[1] === 0x8b ? createGunzip({ chunkSize }) : new PassThrough();
  const stream = pipeline(createReadStream(path), unzip, () => undefined);
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

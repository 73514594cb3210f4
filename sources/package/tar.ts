import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser } from "tar";
import type { ReadEntry } from "tar";
import { toArchiveFailure, tooLarge } from "./archive.ts";
import type { ArchiveEntry, ArchiveFile, ArchiveRules } from "./archive.ts";

/** Types of entries that are files, and those that are links. */
const fileTypes: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile"]);
const linkTypes: ReadonlySet<string> = new Set(["Link", "SymbolicLink"]);

/** What is unpacked at a time, in bytes. */
const chunkSize = 131_072;

/** Streams the wanted files of a gzipped tar, with one of them in memory. @throws Failure source_invalid, library_too_large */
export async function* tarEntries(
  path: string,
  name: string,
  { wanted, maxUnpacked }: ArchiveRules,
): AsyncGenerator<ArchiveFile> {
  const found: ArchiveFile[] = [];
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
        isWanted = wanted({ path: file, type: typeOf(entry), size });
      } catch (error) {
        problem ??= error;
      }
      if (!isWanted) {
        entry.resume();
        return;
      }
      const pieces: Buffer[] = [];
      entry.on("data", (piece) => pieces.push(Buffer.from(piece)));
      entry.on("end", () => found.push({ path: file, bytes: Buffer.concat(pieces) }));
    },
  });
  // A parser undoes any compression that its first bytes show, behind `unpacked`: these show none.
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
      yield* found.splice(0);
    }
    parser.end();
    if (problem !== undefined) throw problem;
    yield* found.splice(0);
  } catch (error) {
    throw toArchiveFailure(name, error);
  } finally {
    stream.destroy();
  }
}

function typeOf({ type }: ReadEntry): ArchiveEntry["type"] {
  return fileTypes.has(type) ? "file" : linkTypes.has(type) ? "link" : "other";
}

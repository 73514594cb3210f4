import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser } from "tar";
import type { ReadEntry } from "tar";
import { damaged, tooMuch } from "./archive.ts";
import type { ArchiveEntry, ArchiveFile, ArchiveRules } from "./archive.ts";

/** Types of entries that are files, and that lead elsewhere. */
const fileTypes: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile"]);
const linkTypes: ReadonlySet<string> = new Set(["Link", "SymbolicLink"]);

/** The files of a gzipped tar, as they come: no more of it is in memory than the one that is read. @throws Failure source_invalid, library_too_large */
export async function* tarEntries(
  path: string,
  name: string,
  { wanted, maxUnpacked, signal }: ArchiveRules,
): AsyncGenerator<ArchiveFile> {
  const found: ArchiveFile[] = [];
  let problem: unknown;
  const parser = new Parser({
    // What only informs is no reason to refuse an archive.
    onwarn: (code, message) => {
      if (code !== "TAR_ENTRY_INFO") problem ??= new Error(`${code}: ${String(message)}`);
    },
    onReadEntry(entry: ReadEntry) {
      const one: ArchiveEntry = { path: entry.path, type: typeOf(entry), size: entry.size };
      let isWanted = false;
      try {
        isWanted = wanted(one);
      } catch (error) {
        problem ??= error;
      }
      if (!isWanted) {
        entry.resume();
        return;
      }
      const pieces: Buffer[] = [];
      entry.on("data", (piece) => pieces.push(Buffer.from(piece)));
      entry.on("end", () => found.push({ ...one, bytes: Buffer.concat(pieces) }));
    },
  });
  // Where reading ends early, so do the streams; whoever reads gets their errors.
  const stream = pipeline(createReadStream(path), createGunzip(), () => undefined);
  let unpacked = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      unpacked += piece.length;
      if (unpacked > maxUnpacked) throw tooMuch(name, maxUnpacked);
      parser.write(piece);
      if (problem !== undefined) throw problem;
      yield* found.splice(0);
    }
    parser.end();
    if (problem !== undefined) throw problem;
    yield* found.splice(0);
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(name, error);
  } finally {
    stream.destroy();
  }
}

function typeOf({ type }: ReadEntry): ArchiveEntry["type"] {
  return fileTypes.has(type) ? "file" : linkTypes.has(type) ? "link" : "other";
}

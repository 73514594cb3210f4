import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { open } from "yauzl";
import type { Entry, Options, ZipFile } from "yauzl";
import { damaged, tooMuch } from "./archive.ts";
import type { ArchiveEntry, ArchiveFile, ArchiveRules } from "./archive.ts";

const openFile = promisify<string, Options, ZipFile>(open);

/** Marks of Unix in the attributes of an entry: what kind of file it is, and a symbolic link. */
const kindMask = 0o170000;
const linkKind = 0o120000;

/** The files of a zip, one after the other, in the order of its directory. @throws Failure source_invalid, library_too_large */
export async function* zipEntries(
  path: string,
  name: string,
  { wanted, maxUnpacked, signal }: ArchiveRules,
): AsyncGenerator<ArchiveFile> {
  let zip: ZipFile | undefined;
  let unpacked = 0;
  try {
    // Its own check of names would refuse without saying which: ours looks at all of them.
    zip = await openFile(path, { lazyEntries: true, autoClose: false, decodeStrings: true, validateEntrySizes: true });
    for (let entry = await nextEntry(zip); entry !== null; entry = await nextEntry(zip)) {
      signal.throwIfAborted();
      const one: ArchiveEntry = { path: entry.fileName, type: typeOf(entry), size: entry.uncompressedSize };
      if (!wanted(one) || !entry.canDecodeFileData()) continue;
      unpacked += entry.uncompressedSize;
      if (unpacked > maxUnpacked) throw tooMuch(name, maxUnpacked);
      const bytes = Buffer.concat(await Array.fromAsync(await openEntry(zip, entry)));
      yield { ...one, bytes };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(name, error);
  } finally {
    zip?.close();
  }
}

function typeOf({ fileName, externalFileAttributes }: Entry): ArchiveEntry["type"] {
  if (((externalFileAttributes >>> 16) & kindMask) === linkKind) return "link";
  return fileName.endsWith("/") ? "other" : "file";
}

function nextEntry(zip: ZipFile): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      zip.removeAllListeners("entry");
      zip.removeAllListeners("end");
      zip.removeAllListeners("error");
      act();
    };
    zip.once("entry", (entry: Entry) => settle(() => resolve(entry))());
    zip.once("end", () => settle(() => resolve(null))());
    zip.once("error", (error: Error) => settle(() => reject(error))());
    zip.readEntry();
  });
}

function openEntry(zip: ZipFile, entry: Entry): Promise<Readable & AsyncIterable<Buffer>> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(error);
      else resolve(stream);
    });
  });
}

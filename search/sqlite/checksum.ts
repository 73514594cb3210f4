import { closeSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** Where SQLite's header has `user_version`, which it leaves to the application: four bytes, zero in a new file. */
const place = 60;
const length = 4;

/** Bytes that are read at once. */
const chunkSize = 1024 * 1024;

/** Error codes of a file that is there and cannot be read: a bad sector, a folder in its place. */
const unreadable: ReadonlySet<unknown> = new Set(["EIO", "EISDIR"]);

/** Writes the checksum of a closed SQLite file into its header. */
export function writeChecksum(path: string): void {
  const file = openSync(path, "r+");
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    let sum = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      sum = crc32(chunk.subarray(0, read), sum);
    chunk.writeUInt32BE(sum);
    writeSync(file, chunk, 0, length, place);
  } finally {
    closeSync(file);
  }
}

/** Reads all of a file; true where it is as `writeChecksum` left it. @throws the file system's error where it cannot tell */
export async function hasItsChecksum(path: string): Promise<boolean> {
  try {
    await using file = await open(path, "r");
    const chunk = Buffer.allocUnsafe(chunkSize);
    let sum = 0;
    let expected: number | undefined;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunkSize, null);
      if (bytesRead === 0) return sum === expected;
      if (expected === undefined) {
        if (bytesRead < place + length) return false;
        expected = chunk.readUInt32BE(place);
        chunk.fill(0, place, place + length);
      }
      sum = crc32(chunk.subarray(0, bytesRead), sum);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && unreadable.has(error.code)) return false;
    throw error;
  }
}

/** Tells a file apart from every other one at its path, and from itself before it was last written; undefined: there is none. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

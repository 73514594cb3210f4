import { closeSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { diskFailure } from "../../domain/failures.ts";

/** Where SQLite's header has `user_version`, which it leaves to the application: four bytes, zero in a new file. */
const place = 60;
const length = 4;

/** Bytes that are read at once. */
const chunkSize = 1024 * 1024;

/** Error codes of a file that is there and cannot be read: a bad sector, a folder in its place. */
const unreadable: ReadonlySet<unknown> = new Set(["EIO", "EISDIR"]);

/** Writes the checksum of a closed SQLite file into its header. */
export function writeChecksum(path: string): void {
  write(path, (file) => sumOf(file).sum);
}

/** Removes the checksum of a closed SQLite file, which is to be written to. */
export function clearChecksum(path: string): void {
  write(path, () => 0);
}

function write(path: string, checksum: (file: number) => number): void {
  const file = openSync(path, "r+");
  try {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE(checksum(file));
    writeSync(file, bytes, 0, length, place);
  } finally {
    closeSync(file);
  }
}

/** The checksum that a file's header has; 0: none. */
export function checksumIn(path: string): number {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, place);
    return bytes.readUInt32BE();
  } finally {
    closeSync(file);
  }
}

/** Reads all of a file at once; true where it is as `writeChecksum` left it. */
export function hasItsChecksumNow(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const { sum, expected } = sumOf(file);
    return sum === expected;
  } finally {
    closeSync(file);
  }
}

/** As `hasItsChecksumNow`, beside other work. @throws the file system's error where it cannot tell */
export async function hasItsChecksum(path: string): Promise<boolean> {
  try {
    await using file = await open(path, "r");
    const reading = createSum();
    for (;;) {
      const { bytesRead, buffer } = await file.read(reading.chunk, 0, chunkSize, null);
      if (bytesRead === 0) return reading.sum === reading.expected;
      reading.add(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && unreadable.has(error.code)) return false;
    throw error;
  }
}

function sumOf(file: number): { readonly sum: number; readonly expected: number | undefined } {
  const reading = createSum();
  for (let read = readSync(file, reading.chunk); read > 0; read = readSync(file, reading.chunk))
    reading.add(reading.chunk.subarray(0, read));
  return reading;
}

/** The sum of the bytes so far, without the place in the header, and what that has. */
function createSum() {
  const reading = {
    chunk: Buffer.allocUnsafe(chunkSize),
    sum: 0,
    expected: undefined as number | undefined,
    add(bytes: Buffer): void {
      if (reading.expected === undefined && bytes.length >= place + length) {
        reading.expected = bytes.readUInt32BE(place);
        bytes.fill(0, place, place + length);
      }
      reading.sum = crc32(bytes, reading.sum);
    },
  };
  return reading;
}

/** Tells a file apart from every other one at its path, and from itself before it was last written; undefined: there is none. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** SQLite's result codes of a file that is out of reach, whatever is in it: BUSY, LOCKED, NOMEM, CANTOPEN (https://sqlite.org/rescode.html). */
const outOfReach: ReadonlySet<unknown> = new Set([5, 6, 7, 14]);

/** True for an error that says nothing about what is in a file. */
export function isOutage(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  return diskFailure(error) !== undefined || outOfReach.has(code & 0xff);
}

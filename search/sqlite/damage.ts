import { closeSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { diskFailure, Failure } from "../../domain/failures.ts";

/** Offset and length of `user_version` in SQLite's header, which is the application's; zero in a new file. */
const offset = 60;
const length = 4;

const chunkSize = 1024 * 1024;

/** Error codes of a file that cannot be read: a bad sector, a folder in its place. */
const unreadable: ReadonlySet<unknown> = new Set(["EIO", "EISDIR"]);

/** Writes the checksum of a closed SQLite file into its header. */
export function writeChecksum(path: string): void {
  write(path, (file) => sumOf(file).sum);
}

/** Removes the checksum of a closed SQLite file, before it is written to. */
export function clearChecksum(path: string): void {
  write(path, () => 0);
}

function write(path: string, checksum: (file: number) => number): void {
  withFile(path, "r+", (file) => {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE(checksum(file));
    writeSync(file, bytes, 0, length, offset);
  });
}

function withFile<T>(path: string, flags: string, use: (file: number) => T): T {
  const file = openSync(path, flags);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** The checksum in a file's header; 0: none. */
export function checksumIn(path: string): number {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
  return withFile(path, "r", (file) => {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, offset);
    return bytes.readUInt32BE();
  });
}

/** Whether a file is as `writeChecksum` left it. Reads all of it synchronously. */
export function hasItsChecksumNow(path: string): boolean {
  const { sum, expected } = withFile(path, "r", sumOf);
  return sum === expected;
}

/** As `hasItsChecksumNow`, asynchronously. @throws an error of the file system that says nothing about the file */
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

/** Sums bytes up, except for the expected checksum in the header. */
function createSum() {
  const reading = {
    chunk: Buffer.allocUnsafe(chunkSize),
    sum: 0,
    expected: undefined as number | undefined,
    add(bytes: Buffer): void {
      if (reading.expected === undefined && bytes.length >= offset + length) {
        reading.expected = bytes.readUInt32BE(offset);
        bytes.fill(0, offset, offset + length);
      }
      reading.sum = crc32(bytes, reading.sum);
    },
  };
  return reading;
}

/** A stamp that changes whenever the file at a path is written or replaced; undefined: there is none. */
export function stampOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

/** SQLite's result codes that say nothing about the content: BUSY, LOCKED, NOMEM, CANTOPEN (https://sqlite.org/rescode.html). */
const outages: ReadonlySet<unknown> = new Set([5, 6, 7, 14]);

/** Whether an error says nothing about the content of a file. */
export function isOutage(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  return diskFailure(error) !== undefined || outages.has(code & 0xff);
}

/** An error of an index file as a Failure: a disk error as an outage, others as search_failed with the message. */
export function toFailure(cause: unknown, message: string): Failure {
  if (cause instanceof Failure) return cause;
  return diskFailure(cause) ?? new Failure("search_failed", message, { cause });
}

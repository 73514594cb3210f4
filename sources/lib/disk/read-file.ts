import { createHash, hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";

/** Size of the pieces in which files are hashed, in bytes. */
const pieceSize = 1 << 20;

/** SHA-256 of some bytes, hex. */
export function sha256Of(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** The size of a file, and its bytes, or null if it has more than `maxBytes`; undefined if it doesn't exist. */
export async function readCapped(
  path: string,
  maxBytes: number,
): Promise<{ size: number; bytes: Uint8Array | null } | undefined> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    if (size > maxBytes) return { size, bytes: null };
    const bytes = await readUpTo(file, size);
    return { size: bytes.length, bytes };
  });
}

/** The first bytes of a file, at most `maxBytes`; undefined if it doesn't exist. */
export function readBeginning(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  return withFile(path, (file) => readUpTo(file, maxBytes));
}

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(maxBytes);
  let at = 0;
  while (at < maxBytes) {
    const { bytesRead } = await file.read(bytes, at, maxBytes - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.slice(0, at);
}

/** SHA-256 of a file, hex; undefined if it doesn't exist. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string | undefined> {
  return withFile(path, async (file) => {
    const hash = createHash("sha256");
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: pieceSize })) {
      signal.throwIfAborted();
      hash.update(piece as Buffer);
    }
    return hash.digest("hex");
  });
}

/** The SHA-256 of a file, and its bytes, or null if it has more than `maxBytes`; undefined if it doesn't exist. */
export async function readOrHash(
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly fingerprint: string; readonly bytes: Uint8Array | null } | undefined> {
  signal.throwIfAborted();
  const content = await readCapped(path, maxBytes);
  if (content === undefined) return undefined;
  if (content.bytes !== null) return { fingerprint: sha256Of(content.bytes), bytes: content.bytes };
  const fingerprint = await hashFile(path, signal);
  return fingerprint === undefined ? undefined : { fingerprint, bytes: null };
}

/** Uses a file and closes it; undefined if it doesn't exist. */
async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Whether an error means that a file or folder doesn't exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

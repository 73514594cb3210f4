import { createHash, hash } from "node:crypto";
import { open } from "node:fs/promises";

/** Size of the pieces in which files are hashed, in bytes. */
const pieceSize = 1 << 20;

/** SHA-256 of some bytes, hex. */
export function hashOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** A file's size, and its bytes where there are no more than that many; undefined where there is no such file. */
export async function readCapped(
  path: string,
  maxBytes: number,
): Promise<{ size: number; bytes: Uint8Array | null } | undefined> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    if (size > maxBytes) return { size, bytes: null };
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await file.read(bytes, at, size - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return { size: at, bytes: bytes.slice(0, at) };
  });
}

/** The first bytes of a file, that many at most; undefined where there is no such file. */
export async function readBeginning(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  return withFile(path, async (file) => {
    const bytes = new Uint8Array(maxBytes);
    let at = 0;
    while (at < maxBytes) {
      const { bytesRead } = await file.read(bytes, at, maxBytes - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.slice(0, at);
  });
}

/** SHA-256 of a file, hex; undefined where there is no such file. */
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

/** A file's hash, and its bytes where there are no more than that many; undefined where there is no such file. */
export async function readOrHash(
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly fingerprint: string; readonly bytes: Uint8Array | null } | undefined> {
  signal.throwIfAborted();
  const content = await readCapped(path, maxBytes);
  if (content === undefined) return undefined;
  if (content.bytes !== null) return { fingerprint: hashOf(content.bytes), bytes: content.bytes };
  const fingerprint = await hashFile(path, signal);
  return fingerprint === undefined ? undefined : { fingerprint, bytes: null };
}

async function withFile<T>(
  path: string,
  use: (file: Awaited<ReturnType<typeof open>>) => Promise<T>,
): Promise<T | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
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

/** True for the error of a path that is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

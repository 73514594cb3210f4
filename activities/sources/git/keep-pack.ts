import { open, type FileHandle } from "node:fs/promises";
import type { PackFile } from "./pack-file.ts";

/** Bytes that are written at once. */
const written = 2 ** 18;

/**
 * Keeps a pack as it comes: in memory up to so many bytes, which spares waking the threads of the disk while all are at
 * work, else in a file. Its pieces are copied at once, so that they are let go of while they are young.
 * @throws what the pack throws; errors of the disk
 */
export async function keepPack(pack: AsyncIterable<Uint8Array>, path: string, inMemory: number): Promise<PackFile> {
  let buffer: Buffer = Buffer.allocUnsafeSlow(written);
  let filled = 0;
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const piece of pack) {
      size += piece.length;
      if (file === undefined && size > inMemory) file = await open(path, "w");
      if (file !== undefined && filled + piece.length > written) {
        await file.writeFile(buffer.subarray(0, filled));
        filled = 0;
      }
      buffer = withRoom(buffer, filled, piece.length);
      buffer.set(piece, filled);
      filled += piece.length;
    }
    if (file === undefined) return { path, size, bytes: Buffer.from(buffer.subarray(0, filled)) };
    await file.writeFile(buffer.subarray(0, filled));
    return { path, size, bytes: null };
  } finally {
    await file?.close();
  }
}

/** The buffer, or a larger one with the same bytes, where so many more do not fit; what has been written needs no room. */
function withRoom(buffer: Buffer, filled: number, more: number): Buffer {
  const needed = filled + more;
  if (needed <= buffer.length)
    return filled === 0 && buffer.length > written ? Buffer.allocUnsafeSlow(Math.max(written, needed)) : buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, needed));
  larger.set(buffer.subarray(0, filled));
  return larger;
}

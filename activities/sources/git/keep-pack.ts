import { open, type FileHandle } from "node:fs/promises";
import { release } from "../../../domain/release.ts";
import type { PackFile } from "./pack-file.ts";

/** Bytes of a block: what is written at once. */
const blockSize = 2 ** 18;

/**
 * Keeps a pack as it comes: in memory up to so many bytes, which spares waking the threads of the disk while all are at
 * work, else in a file. Its pieces are copied at once, so that they are let go of while they are young, and blocks are
 * given back when they have served: a garbage collection would come late.
 * @throws what the pack throws; errors of the disk
 */
export async function keepPack(pack: AsyncIterable<Uint8Array>, path: string, inMemory: number): Promise<PackFile> {
  const full: Buffer[] = [];
  let block = Buffer.allocUnsafeSlow(blockSize);
  let filled = 0;
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const piece of pack) {
      size += piece.length;
      if (file === undefined && size > inMemory) {
        file = await open(path, "w");
        for (const one of full.splice(0)) await write(file, one);
      }
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + blockSize - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < blockSize) continue;
        if (file === undefined) full.push(block);
        else await write(file, block);
        block = Buffer.allocUnsafeSlow(blockSize);
        filled = 0;
      }
    }
    const rest = block.subarray(0, filled);
    if (file === undefined) return { path, size, bytes: joined([...full, rest], size) };
    await write(file, rest);
    return { path, size, bytes: null };
  } finally {
    await file?.close();
  }
}

async function write(file: FileHandle, block: Buffer): Promise<void> {
  await file.writeFile(block);
  release(block, blockSize);
}

function joined(blocks: readonly Buffer[], size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
    release(block, blockSize);
  }
  return bytes;
}

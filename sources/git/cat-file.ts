import { Failure } from "../../domain/failures.ts";
import type { GitBlob } from "./tree.ts";

const newline = 0x0a;

/**
 * Reads the output of `git cat-file --batch`: `<oid> <type> <size>\n<content>\n` for each object. A blob is copied once,
 * into memory of its own, and one larger than `maxBytes` is passed over as it streams by. `coming` is told of the size of each before
 * any of it has come, and may throw.
 * @throws Failure source_invalid where an object is missing or no blob
 */
export async function* parseCatFile(
  output: AsyncIterable<Uint8Array>,
  maxBytes: number,
  coming: (size: number) => void,
): AsyncGenerator<GitBlob> {
  let header = "";
  /** The blob under way: its remaining bytes count the line feed after it. */
  let blob: { readonly size: number; readonly bytes: Uint8Array | null; left: number } | undefined;
  for await (const chunk of output) {
    let at = 0;
    while (at < chunk.length) {
      if (blob === undefined) {
        const end = chunk.indexOf(newline, at);
        header += Buffer.from(chunk.subarray(at, end < 0 ? chunk.length : end)).toString("latin1");
        if (end < 0) break;
        at = end + 1;
        const size = parseHeader(header);
        coming(size);
        header = "";
        blob = { size, bytes: size > maxBytes ? null : new Uint8Array(size), left: size + 1 };
      }
      const taken = Math.min(blob.left, chunk.length - at);
      const offset = blob.size + 1 - blob.left;
      const content = Math.min(taken, blob.size - offset);
      if (blob.bytes !== null && content > 0) blob.bytes.set(chunk.subarray(at, at + content), offset);
      blob.left -= taken;
      at += taken;
      if (blob.left === 0) {
        yield { size: blob.size, bytes: blob.bytes };
        blob = undefined;
      }
    }
  }
}

function parseHeader(header: string): number {
  const [, size] = /^[\da-f]{40} blob (\d+)$/.exec(header) ?? [];
  if (size === undefined)
    throw new Failure("source_invalid", "The Git server left out a document that the commit has. Try again later.");
  return Number(size);
}

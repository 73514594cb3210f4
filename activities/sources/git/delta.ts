import { PackError } from "./pack-file.ts";

/** Longest result of a delta that is made; Git itself makes none of files over 512 MB (core.bigFileThreshold). */
export const maxDeltaResult = 64_000_000;

/** The sizes that a delta begins with: that of what it is applied to, and that of what comes out (gitformat-pack). */
export function deltaSizes(delta: Uint8Array): { readonly from: number; readonly to: number; readonly at: number } {
  const from = readSize(delta, 0);
  const to = readSize(delta, from.at);
  return { from: from.size, to: to.size, at: to.at };
}

/**
 * Makes an object out of another one and a delta: pieces of the other one and bytes of the delta's own, in turns.
 * @throws PackError where the delta does not fit, or asks for more than it announces
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const { from, to, at: start } = deltaSizes(delta);
  if (from !== base.length || to > maxDeltaResult) throw new PackError("a difference does not fit its object");
  const result = new Uint8Array(to);
  let end = 0;
  const put = (source: Uint8Array, offset: number, length: number): void => {
    if (length === 0 || offset + length > source.length || end + length > to)
      throw new PackError("a difference does not fit its object");
    result.set(source.subarray(offset, offset + length), end);
    end += length;
  };
  for (let at = start; at < delta.length;) {
    const instruction = delta[at] ?? 0;
    at += 1;
    if (instruction < 0x80) {
      put(delta, at, instruction);
      at += instruction;
      continue;
    }
    // The low seven bits say which bytes of offset and length follow; those that do not are zero.
    const next = (bit: number): number => ((instruction & bit) === 0 ? 0 : (delta[at++] ?? 0));
    const offset = next(1) + next(2) * 2 ** 8 + next(4) * 2 ** 16 + next(8) * 2 ** 24;
    const length = next(16) + next(32) * 2 ** 8 + next(64) * 2 ** 16;
    put(base, offset, length === 0 ? 0x10000 : length);
  }
  if (end !== to) throw new PackError("a difference does not fit its object");
  return result;
}

/** Seven bits a byte, the lowest first. */
function readSize(bytes: Uint8Array, start: number): { readonly size: number; readonly at: number } {
  let size = 0;
  for (let at = start, unit = 1; at < bytes.length && unit < 2 ** 49; at += 1, unit *= 128) {
    const byte = bytes[at] ?? 0;
    size += (byte & 0x7f) * unit;
    if (byte < 0x80) return { size, at: at + 1 };
  }
  throw new PackError("a size is broken");
}

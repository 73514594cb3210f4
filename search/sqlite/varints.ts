/** Numbers of up to 32 bits in few bytes: seven bits a byte, the lowest first, the highest bit set where more follow. */

/** Maximum bytes of a number. */
export const maxVarintLength = 5;

/** Bytes, and where in them is read. */
export interface VarintReader {
  readonly bytes: Uint8Array;
  at: number;
}

/** Writes a number at `at`; answers where it ends. */
export function writeVarint(out: Uint8Array, at: number, number: number): number {
  let rest = number;
  let end = at;
  for (; rest >= 128; rest >>>= 7) out[end++] = (rest & 127) | 128;
  out[end++] = rest;
  return end;
}

/** Reads a number and goes on behind it; 0 behind the end of the bytes. */
export function readVarint(from: VarintReader): number {
  const { bytes } = from;
  let byte = bytes[from.at++] ?? 0;
  if (byte < 128) return byte;
  let number = byte & 127;
  for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
    byte = bytes[from.at++] ?? 0;
    number |= (byte & 127) << shift;
  }
  return number;
}

/** Goes on behind the next `count` numbers, at most to the end of the bytes. */
export function skipVarints(from: VarintReader, count: number): void {
  for (let left = count; left > 0 && from.at < from.bytes.length; from.at += 1)
    if ((from.bytes[from.at] ?? 0) < 128) left -= 1;
}

/** Numbers one behind the other. */
export function packVarints(numbers: readonly number[]): Uint8Array {
  const out = new Uint8Array(maxVarintLength * numbers.length);
  let end = 0;
  for (const number of numbers) end = writeVarint(out, end, number);
  return out.subarray(0, end);
}

/** The numbers of `packVarints`. */
export function unpackVarints(bytes: Uint8Array): number[] {
  const from = { bytes, at: 0 };
  const numbers: number[] = [];
  while (from.at < bytes.length) numbers.push(readVarint(from));
  return numbers;
}

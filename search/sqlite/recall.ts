import type { Memory } from "../memory.ts";

/** Something that was read, and how many bytes it was made of. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/**
 * Each of what is wanted, remembered or else read now; what is missing is read in one go. Undefined stands for what is not
 * there.
 */
export function recall<T extends object, Wanted, Key>(
  memory: Memory<T, Key>,
  wanted: readonly Wanted[],
  keyOf: (one: Wanted) => Key,
  read: (missing: readonly Wanted[]) => Iterable<readonly [Wanted, Sized<T>]>,
): readonly (T | undefined)[] {
  const known = wanted.map((one) => memory.get(keyOf(one)));
  const missing = wanted.filter((_, at) => known[at] === undefined);
  if (missing.length === 0) return known;
  const found = new Map<Wanted, T>();
  for (const [one, { value, bytes }] of read(missing)) {
    memory.keep(keyOf(one), value, bytes);
    found.set(one, value);
  }
  return wanted.map((one, at) => known[at] ?? found.get(one));
}

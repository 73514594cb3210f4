import type { Memory } from "../memory.ts";

/** Something that was read, and how many bytes it was made of. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/** All that is wanted, each remembered or else read now; what is missing is read in one go. */
export function recall<T extends object, Wanted, Key>(
  memory: Memory<T, Key>,
  wanted: readonly Wanted[],
  keyOf: (one: Wanted) => Key,
  read: (missing: readonly Wanted[]) => Iterable<readonly [Wanted, Sized<T>]>,
): ReadonlyMap<Wanted, T> {
  const found = new Map<Wanted, T>();
  const missing: Wanted[] = [];
  for (const one of wanted) {
    const known = memory.get(keyOf(one));
    if (known === undefined) missing.push(one);
    else found.set(one, known);
  }
  if (missing.length === 0) return found;
  for (const [one, { value, bytes }] of read(missing)) {
    memory.keep(keyOf(one), value, bytes);
    found.set(one, value);
  }
  return found;
}

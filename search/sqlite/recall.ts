import type { LRUCache } from "lru-cache";

/** A value, and the bytes of stored data that it was made of, at least one. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/**
 * The value of each key that is wanted, from the cache; those that the cache misses are read together. Undefined for what does not
 * exist.
 */
export function recall<T extends object, Wanted, Key extends string | number>(
  cache: LRUCache<Key, T>,
  wanted: readonly Wanted[],
  keyOf: (one: Wanted) => Key,
  read: (missing: readonly Wanted[]) => Iterable<readonly [Wanted, Sized<T>]>,
): readonly (T | undefined)[] {
  const known = wanted.map((one) => cache.get(keyOf(one)));
  const missing = wanted.filter((_, at) => known[at] === undefined);
  if (missing.length === 0) return known;
  const found = new Map<Wanted, T>();
  for (const [one, { value, bytes }] of read(missing)) {
    cache.set(keyOf(one), value, { size: bytes });
    found.set(one, value);
  }
  return wanted.map((one, at) => known[at] ?? found.get(one));
}

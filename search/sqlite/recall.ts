import type { LRUCache } from "lru-cache";

/** What was read, and of how many bytes, at least one, it was made. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/**
 * Each of what is wanted, from the cache or else read now; what the cache misses is read in one go. Undefined stands for what is
 * not there.
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

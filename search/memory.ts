/** What was read lately of generations, which never change: what is here stays true. */
export interface Memory<T, Key = string> {
  get(key: Key): T | undefined;
  /** Keeps a value that was made of the given number of bytes. A key is kept once. */
  keep(key: Key, value: T, bytes: number): void;
}

/** An LRU cache bounded by the bytes that its values were made of; the values take about twice as many. */
export function createMemory<T, Key = string>(maxBytes: number): Memory<T, Key> {
  /** The one used last is at the end. */
  const kept = new Map<Key, { readonly value: T; readonly bytes: number }>();
  let bytes = 0;

  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    keep(key, value, size) {
      forget(key);
      if (size > maxBytes) return;
      if (bytes + size > maxBytes) makeRoom(size);
      kept.set(key, { value, bytes: size });
      bytes += size;
    },
  };

  /** Makes some more room than is needed: behind many that were deleted, the first one of a Map takes long to find. */
  function makeRoom(size: number): void {
    for (const oldest of kept.keys()) {
      if (bytes + size <= maxBytes - maxBytes / 16) return;
      forget(oldest);
    }
  }

  function forget(key: Key): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }
}

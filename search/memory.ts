/** What was read lately of generations, which never change: what is here stays true. */
export interface Memory<T, Key = string> {
  get(key: Key): T | undefined;
  /** Keeps a value that was made of so many bytes. A key is kept once. */
  keep(key: Key, value: T, bytes: number): void;
}

/**
 * Remembers what so many bytes were made into; that takes about twice as many. What was not used for long goes first: what
 * has stood here longest, unless it was used meanwhile, which is as good as the order of use and costs a reader nothing.
 */
export function createMemory<T, Key = string>(mostBytes: number): Memory<T, Key> {
  /** The one that comes first has stood here longest. */
  const kept = new Map<Key, { readonly value: T; readonly bytes: number; used: boolean }>();
  let bytes = 0;

  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      entry.used = true;
      return entry.value;
    },
    keep(key, value, size) {
      bytes -= kept.get(key)?.bytes ?? 0;
      kept.delete(key);
      if (size > mostBytes) return;
      if (bytes + size > mostBytes) makeRoom(size);
      kept.set(key, { value, bytes: size, used: false });
      bytes += size;
    },
  };

  /** Goes round, in which what was used stays for another round. Makes some more room: a round takes its time to begin. */
  function makeRoom(size: number): void {
    for (const [key, entry] of kept) {
      kept.delete(key);
      if (entry.used) kept.set(key, { ...entry, used: false });
      else bytes -= entry.bytes;
      if (bytes + size <= mostBytes - mostBytes / 16) return;
    }
  }
}

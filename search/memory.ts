/** What was read lately of generations, which never change: what is here stays true. */
export interface Memory<T> {
  get(key: string): T | undefined;
  /** Keeps a value that was made of so many bytes. A key is kept once. */
  keep(key: string, value: T, bytes: number): void;
}

/** Remembers what so many bytes were made into; that takes about twice as many. What was used longest ago goes first. */
export function createMemory<T>(mostBytes: number): Memory<T> {
  /** The one used last at the end. */
  const kept = new Map<string, { readonly value: T; readonly bytes: number }>();
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
      kept.set(key, { value, bytes: size });
      bytes += size;
      while (bytes > mostBytes) forget(oldest());
    },
  };

  function oldest(): string {
    for (const key of kept.keys()) return key;
    throw new Error("Nothing is kept, and yet it takes room.");
  }

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }
}

/** Something that was read, and of how many bytes it was made. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/** What was read of rows lately. Generations never change, so what is here stays true. */
export interface RowCache<T> {
  /** What is kept of a row, or else what `read` gives. */
  get(generation: string, row: number, read: (row: number) => Sized<T>): T;
}

/** Makes a cache of what so many bytes were made into; that takes about twice as many. What was used longest ago goes first. */
export function createRowCache<T>(mostBytes: number): RowCache<T> {
  /** The one used last at the end. */
  const kept = new Map<string, Sized<T>>();
  let bytes = 0;
  return {
    get(generation, row, read) {
      const key = `${generation} ${row}`;
      const known = kept.get(key);
      const entry = known ?? read(row);
      if (known === undefined) bytes += entry.bytes;
      else kept.delete(key);
      kept.set(key, entry);
      while (bytes > mostBytes) removeOldest();
      return entry.value;
    },
  };

  function removeOldest(): void {
    for (const [key, entry] of kept) {
      kept.delete(key);
      bytes -= entry.bytes;
      return;
    }
  }
}

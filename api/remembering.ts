/** Maximum of generations that something is remembered of. */
const maxRemembered = 1000;

/**
 * Remembers what was read last of generations, which never change: asked for by many at the same time, it is read once. What
 * was not there, or could not be read, is asked for again.
 */
export function remembering<T>(read: (generation: string) => Promise<T | undefined>): typeof read {
  const remembered = new Map<string, Promise<T | undefined>>();
  return (generation) => {
    const known = remembered.get(generation);
    if (known !== undefined) return known;
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    const reading = read(generation);
    const forget = (): void => void (remembered.get(generation) === reading && remembered.delete(generation));
    reading.then((found) => found ?? forget(), forget);
    remembered.set(generation, reading);
    return reading;
  };
}

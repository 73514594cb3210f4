/** Backpressure: the maximum number of items in flight, and the maximum sum of their weights. */
export interface Window<T> {
  readonly items: number;
  readonly weight?: number;
  readonly weigh?: (item: T) => number;
}

/**
 * Maps items concurrently and yields the results in the order of the items. It reads ahead as far as the window allows,
 * at least one item. When the consumer stops early or anything fails, the source is closed.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  map: (item: T) => Promise<R>,
  { items, weight: maxWeight = Infinity, weigh = () => 0 }: Window<T>,
): AsyncGenerator<R> {
  const waiting: { readonly result: Promise<R>; readonly weight: number }[] = [];
  let weight = 0;
  const take = async (): Promise<R | undefined> => {
    const first = waiting.shift();
    if (!first) return undefined;
    weight -= first.weight;
    return first.result;
  };
  try {
    for await (const item of source) {
      const added = weigh(item);
      while (waiting.length > 0 && (waiting.length >= items || weight + added > maxWeight)) yield (await take()) as R;
      const result = map(item);
      // A failure is thrown when the result is taken, and does not count as unhandled until then.
      result.catch(() => {});
      waiting.push({ result, weight: added });
      weight += added;
    }
    while (waiting.length > 0) yield (await take()) as R;
  } finally {
    await Promise.allSettled(waiting.map(({ result }) => result));
  }
}

/** Backpressure: how much may be in flight at once, as a number of items and, if they have weights, as the sum of these. */
export interface Window<T> {
  readonly items: number;
  readonly weight?: number;
  readonly weigh?: (item: T) => number;
}

/**
 * Maps items concurrently and yields the results in the order of the items. It reads ahead only as far as the window
 * allows, one item at least. When the consumer stops early or anything fails, the source is closed.
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
      const own = weigh(item);
      while (waiting.length > 0 && (waiting.length >= items || weight + own > maxWeight)) yield (await take()) as R;
      const result = map(item);
      // A failure is thrown where the result is taken; until then it is not unhandled.
      result.catch(() => {});
      waiting.push({ result, weight: own });
      weight += own;
    }
    while (waiting.length > 0) yield (await take()) as R;
  } finally {
    await Promise.allSettled(waiting.map(({ result }) => result));
  }
}

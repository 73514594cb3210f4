/** Backpressure: how much may be in flight at once, as a number of items and as the sum of their weights. */
export interface Window<T> {
  readonly items: number;
  readonly weight: number;
  weigh(item: T): number;
}

/**
 * Maps items concurrently and yields the results in the order of the items. It reads ahead only as far as the window
 * allows, one item at least. When the consumer stops early or anything fails, the source is closed.
 */
export async function* inOrder<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  map: (item: T) => Promise<R>,
  window: Window<T>,
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
      const own = window.weigh(item);
      while (waiting.length > 0 && (waiting.length >= window.items || weight + own > window.weight))
        yield (await take()) as R;
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

/** The items until `stop` is aborted; an item that is still pending then is not awaited. @throws the reason for stopping */
export async function* untilStopped<T>(items: AsyncIterable<T>, stop: AbortSignal): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessStopped(iterator.next(), stop);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    if (iterator.return !== undefined) await unlessStopped(iterator.return(), stop);
  }
}

/** The result, unless `stop` is aborted first. Each race has its own promise: a shared one would keep every result. @throws the reason for stopping */
export async function unlessStopped<T>(result: Promise<T>, stop: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop);
  try {
    return await Promise.race([result, stopped.promise]);
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}

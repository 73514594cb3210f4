/** The items, as long as nobody stops: a source that hangs is not waited for. Throws the reason once stopped. */
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

/** The result, or the reason for stopping. Each race has a promise of its own: one for all would keep every result. */
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

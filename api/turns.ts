/**
 * A FIFO queue: one request per turn of the event loop. The loop takes one new connection a turn
 * (libuv 1.52, uv__server_io), and would answer the requests of all others before it takes the next one: with 64 clients
 * that ask without a pause, the last of 64 new ones would wait for seconds.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

/**
 * Hands out turns, one per turn of the event loop, to one client after the other, so that one with many requests delays each of the
 * others by one request. The loop takes one new connection a turn (libuv 1.52, uv__server_io), and would answer the requests of all
 * others before it takes the next one: with 64 clients that ask without a pause, the last of 64 new ones would wait for seconds.
 */
export function createTurns(): (client: string) => Promise<void> {
  /** Who waits by client, the next client first. */
  const waiting = new Map<string, (() => void)[]>();
  const next = (): void => {
    for (const [client, starts] of waiting) {
      waiting.delete(client);
      starts.shift()?.();
      if (starts.length > 0) waiting.set(client, starts);
      break;
    }
    if (waiting.size > 0) setImmediate(next);
  };
  return (client) =>
    new Promise((resolve) => {
      const starts = waiting.get(client);
      if (starts) starts.push(resolve);
      else if (waiting.set(client, [resolve]).size === 1) setImmediate(next);
    });
}

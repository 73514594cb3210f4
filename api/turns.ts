/**
 * Hands out one turn per iteration of the event loop, to clients in rotation, so that one with many requests delays each of the
 * others by one request. The loop accepts one connection per iteration (libuv 1.52, uv__server_io), and would answer the requests
 * of all others before it accepts the next: with 64 busy clients, the last of 64 new ones would wait for seconds.
 */
export function createTurns(): (client: string) => Promise<void> {
  /** Waiting requests by client, next client first. */
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

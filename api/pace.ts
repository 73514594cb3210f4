/** How long a client has to wait after it has sent so many bytes of a body, in milliseconds; 0: it may go on. */
export type Pace = (address: string, bytes: number) => number;

/** Bytes of a millisecond that an address may send. */
const rate = 32_768;
/** Timers are no finer, in milliseconds. */
const shortestPause = 4;
/** Addresses from which on those that send nothing are forgotten. */
const maxIdle = 1000;

/**
 * Spreads what an address sends in bodies: reading a flood of them would take the main thread from others. Proxies, whose address many
 * clients share, never wait.
 */
export function createPace(isProxy: (address: string) => boolean, now = () => performance.now()): Pace {
  /** When the bytes of an address have been paid for. */
  const paid = new Map<string, number>();
  return (address, bytes) => {
    if (isProxy(address)) return 0;
    const time = now();
    if (paid.size >= maxIdle) for (const [other, until] of paid) if (until < time) paid.delete(other);
    const until = Math.max(time, paid.get(address) ?? 0) + bytes / rate;
    paid.set(address, until);
    return until - time < shortestPause ? 0 : until - time;
  };
}

/** Hosts for a polite client that never has to wait between requests. */
export const unpacedHosts = {
  reserve: async (_host: string, _interval: number, now: number) => now,
  postpone: async () => undefined,
};

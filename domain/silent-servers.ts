import { Failure } from "./failures.ts";

/** A server that may accept requests and never answer them. */
export interface WatchedServer {
  /**
   * Asks it something that it answers at once. Resolves on any answer, an error of the server too; rejects within `timeout`
   * milliseconds without one.
   */
  readonly probe: (timeout: number) => Promise<unknown>;
  /** The message of search_failed or service_unavailable, which requests fail with while it is silent. */
  readonly code: "search_failed" | "service_unavailable";
  readonly message: string;
  /** Milliseconds after which a request is worth a probe, and those that a probe may take; default 2,000. */
  readonly patience?: number;
  /** Told when it falls silent, and when it answers again. */
  readonly onChange?: (isSilent: boolean) => void;
}

/** Makes a request, and ends the wait for it where the server is silent. @throws Failure of the watched server, and what the request throws */
export type UnlessSilent = <T>(request: () => Promise<T>) => Promise<T>;

/** Milliseconds for which a probe without an answer speaks for requests that come later. */
const believed = 500;

/** Share of the patience for which this process may stand still during a probe: the answer may be there, unread. */
const maxStall = 0.25;

/**
 * Tells a server that is silent, as its process is stopped or the network drops its packets, from one that is slow: where a
 * request waits and the server answers nothing else either, it is probed. Without an answer all requests fail within twice
 * the patience, and later ones at once or after another probe. A slow request is waited for.
 */
export function createSilence({ probe, code, message, patience = 2000, onChange }: WatchedServer): UnlessSilent {
  const waiting = new Set<(reason: Failure) => void>();
  let isSilent = false;
  let heardAt = -Infinity;
  let failedAt = -Infinity;
  let probing: Promise<boolean> | undefined;

  const away = (): Failure => new Failure(code, message, { retryAfter: 5 });

  const turn = (silent: boolean): void => {
    if (silent !== isSilent) onChange?.(silent);
    isSilent = silent;
  };

  async function ask(): Promise<boolean> {
    for (;;) {
      let ticked = performance.now();
      let stall = 0;
      const tick = (): void => {
        stall = Math.max(stall, performance.now() - ticked);
        ticked = performance.now();
      };
      const ticking = setInterval(tick, patience / 20);
      try {
        await probe(patience);
        heardAt = performance.now();
        turn(false);
        return true;
      } catch {
        // Why it does not answer is nothing that requests could tell.
        tick();
        if (stall > maxStall * patience) continue;
        failedAt = performance.now();
        turn(true);
        for (const giveUp of waiting) giveUp(away());
        return false;
      } finally {
        clearInterval(ticking);
      }
    }
  }

  async function answers(): Promise<boolean> {
    if (!probing && performance.now() - failedAt < believed) return false;
    probing ??= ask().finally(() => (probing = undefined));
    return probing;
  }

  return async (request) => {
    if (isSilent && !(await answers())) throw away();
    const gone = Promise.withResolvers<never>();
    waiting.add(gone.reject);
    const begun = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - Math.max(begun, heardAt) >= patience) void answers();
    }, patience / 4);
    try {
      const answer = await Promise.race([request(), gone.promise]);
      heardAt = performance.now();
      return answer;
    } finally {
      clearInterval(timer);
      waiting.delete(gone.reject);
    }
  };
}

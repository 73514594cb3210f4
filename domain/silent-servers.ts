import { Failure } from "./failures.ts";

/** A server that may accept requests without ever answering them. */
export interface WatchedServer {
  /** Sends a cheap request. Resolves with any response, also an error; rejects after `timeout` milliseconds. */
  readonly probe: (timeout: number) => Promise<unknown>;
  /** Code and message of the failure of requests while it is silent. */
  readonly code: "search_failed" | "service_unavailable";
  readonly message: string;
  /** Milliseconds before a waiting request causes a probe, and timeout of the probe; default 2,000. */
  readonly patience?: number;
  /** Called when it falls silent, and when it answers again. */
  readonly onChange?: (isSilent: boolean) => void;
}

/** Makes a request, and stops waiting for it if the server is silent. @throws Failure of the watched server, and what the request throws */
export type UnlessSilent = <T>(request: () => Promise<T>) => Promise<T>;

/** Milliseconds for which later requests rely on a failed probe. */
const reliedOn = 500;

/** Maximum stall of this process during a probe, as a share of the patience: a response may have arrived unread. */
const maxStall = 0.25;

/**
 * Distinguishes a silent server, whose process is stopped or whose packets are dropped, from a slow one: it is probed when a
 * request waits and nothing else was answered. If the probe fails, all requests fail within twice the patience, and later ones
 * at once or after another probe. Slow requests are waited for.
 */
export function createSilence({ probe, code, message, patience = 2000, onChange }: WatchedServer): UnlessSilent {
  const waiting = new Set<(reason: Failure) => void>();
  let isSilent = false;
  let heardAt = -Infinity;
  let failedAt = -Infinity;
  let probing: Promise<boolean> | undefined;

  const unavailable = (): Failure => new Failure(code, message, { retryAfter: 5 });

  const setSilent = (silent: boolean): void => {
    if (silent !== isSilent) onChange?.(silent);
    isSilent = silent;
  };

  async function probeServer(): Promise<boolean> {
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
        setSilent(false);
        return true;
      } catch {
        tick();
        if (stall > maxStall * patience) continue;
        failedAt = performance.now();
        setSilent(true);
        for (const giveUp of waiting) giveUp(unavailable());
        return false;
      } finally {
        clearInterval(ticking);
      }
    }
  }

  async function answers(): Promise<boolean> {
    if (!probing && performance.now() - failedAt < reliedOn) return false;
    probing ??= probeServer().finally(() => (probing = undefined));
    return probing;
  }

  return async (request) => {
    if (isSilent && !(await answers())) throw unavailable();
    const silence = Promise.withResolvers<never>();
    waiting.add(silence.reject);
    const begun = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - Math.max(begun, heardAt) >= patience) void answers();
    }, patience / 4);
    try {
      const answer = await Promise.race([request(), silence.promise]);
      heardAt = performance.now();
      return answer;
    } finally {
      clearInterval(timer);
      waiting.delete(silence.reject);
    }
  };
}

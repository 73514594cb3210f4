import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Limiter } from "../domain/ports.ts";

/** Fixed-window rate limits in the memory of this process. Ended windows are removed automatically. */
export function createMemoryLimiter(windowSeconds = 60): Limiter {
  // Limits differ by bucket, so the library only counts, and the limit is applied here.
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: windowSeconds });
  return {
    async take(bucket, limit) {
      const { consumedPoints, msBeforeNext } = await counter.consume(bucket);
      return {
        allowed: consumedPoints <= limit,
        limit,
        remaining: Math.max(0, limit - consumedPoints),
        resetIn: msBeforeNext,
      };
    },

    async look(bucket, limit) {
      const state = await counter.get(bucket);
      const remaining = Math.max(0, limit - (state?.consumedPoints ?? 0));
      return { allowed: remaining > 0, limit, remaining, resetIn: state?.msBeforeNext ?? windowSeconds * 1000 };
    },

    forget: async () => {},
  };
}

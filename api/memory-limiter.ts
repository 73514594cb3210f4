import { RateLimiterMemory } from "rate-limiter-flexible";

import type { Limiter } from "../domain/ports.ts";

/** The window that requests are counted in, in seconds. */
const windowSeconds = 60;

/** Fixed-window rate limits in the memory of this process. A bucket's window begins with its first request. */
export function createMemoryLimiter(): Limiter {
  // Buckets differ in their limits: the library only counts, and the limit is judged here.
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
  };
}

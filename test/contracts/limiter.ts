import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Limiter } from "../../domain/ports.ts";

/** Limiters that share their counts, as those of separate processes do. */
export interface OpenLimiters {
  readonly limiters: readonly [Limiter, ...Limiter[]];
  cleanup(): Promise<void>;
}

/** What every Limiter must do. `open` takes the length of the window in seconds. */
export function describeLimiter(name: string, open: (windowSeconds: number) => Promise<OpenLimiters>): void {
  describe(`the limiter in ${name}`, () => {
    let opened: OpenLimiters;
    beforeEach(async () => {
      opened = await open(60);
    });
    afterEach(() => opened.cleanup());

    it("allows exactly the limit of requests at the same time, over all processes", async () => {
      const { limiters } = opened;
      const states = await Promise.all(
        Array.from({ length: 100 }, (_, at) => (limiters[at % limiters.length] ?? limiters[0]).take("key:a", 37)),
      );
      expect(states.filter(({ allowed }) => allowed)).toHaveLength(37);
      expect(
        states
          .filter(({ allowed }) => allowed)
          .map(({ remaining }) => remaining)
          .toSorted((a, b) => a - b),
      ).toEqual(Array.from({ length: 37 }, (_, at) => at));
      expect(states.filter(({ allowed, remaining }) => !allowed && remaining > 0)).toEqual([]);
    });

    it("keeps refusing a used-up bucket, and says when the window ends", async () => {
      const [limiter] = opened.limiters;
      expect(await limiter.take("key:a", 1)).toMatchObject({ allowed: true, limit: 1, remaining: 0 });
      for (const each of opened.limiters) {
        for (let time = 0; time < 3; time += 1) {
          const state = await each.take("key:a", 1);
          expect(state).toMatchObject({ allowed: false, limit: 1, remaining: 0 });
          expect(state.resetIn).toBeGreaterThan(0);
          expect(state.resetIn).toBeLessThanOrEqual(60_000);
        }
      }
    });

    it("counts each bucket by itself", async () => {
      const [limiter] = opened.limiters;
      for (const bucket of ["read:key:a", "read:key:b", "submission:key:a", "read:teamspace:a"]) {
        expect(await limiter.take(bucket, 2)).toMatchObject({ allowed: true, remaining: 1 });
      }
      expect(await limiter.take("read:key:a", 2)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await limiter.take("read:key:a", 2)).toMatchObject({ allowed: false });
      expect(await limiter.take("read:key:b", 2)).toMatchObject({ allowed: true });
    });

    it("shows what remains of a bucket without counting that", async () => {
      const [limiter, other = limiter] = opened.limiters;
      expect(await limiter.look("key:a", 3)).toMatchObject({ allowed: true, limit: 3, remaining: 3 });
      await limiter.take("key:a", 3);
      for (let time = 0; time < 3; time += 1)
        expect(await other.look("key:a", 3)).toMatchObject({ allowed: true, remaining: 2 });
      await limiter.take("key:a", 3);
      await limiter.take("key:a", 3);
      await limiter.take("key:a", 3);
      expect(await other.look("key:a", 3)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it("begins a new window with the first request after the end of one, in all processes", async () => {
      const short = await open(1);
      try {
        const [limiter, other = limiter] = short.limiters;
        const { resetIn } = await limiter.take("key:a", 2);
        await other.take("key:a", 2);
        expect(await other.take("key:a", 2)).toMatchObject({ allowed: false });
        expect(await limiter.take("key:a", 2)).toMatchObject({ allowed: false });
        await sleep(resetIn + 50);
        expect(await other.look("key:a", 2)).toMatchObject({ allowed: true, remaining: 2 });
        expect(await other.take("key:a", 2)).toMatchObject({ allowed: true, remaining: 1 });
        expect(await limiter.take("key:a", 2)).toMatchObject({ allowed: true, remaining: 0 });
        expect(await limiter.take("key:a", 2)).toMatchObject({ allowed: false });
      } finally {
        await short.cleanup();
      }
    });

    it("forgets windows that have ended, and no other", async () => {
      const short = await open(1);
      try {
        const [limiter] = short.limiters;
        const { resetIn } = await limiter.take("key:old", 5);
        await sleep(resetIn + 50);
        await limiter.take("key:new", 5);
        await limiter.forget();
        expect(await limiter.look("key:old", 5)).toMatchObject({ remaining: 5 });
        expect(await limiter.look("key:new", 5)).toMatchObject({ remaining: 4 });
      } finally {
        await short.cleanup();
      }
    });
  });
}

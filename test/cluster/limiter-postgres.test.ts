import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { createTableLimiter } from "../../stores/catalog/rate-limits.ts";
import { openPostgres, openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { describeLimiter } from "../contracts/limiter.ts";
import { ask } from "./support/catalog-asking.ts";
import { freshDatabase, type FreshDatabase } from "./support/database.ts";

const server = inject("postgres");

describe.skipIf(server === null)("on a PostgreSQL server", () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(server ?? "");
    await (await openPostgresCatalog({ url: database.url, migrate: true })).close();
  });
  afterEach(() => database.drop());

  describeLimiter("PostgreSQL", async (windowSeconds) => {
    // A pool each, as processes have.
    const pools = [1, 2].map(() => openPostgres({ url: database.url, poolSize: 3 }));
    const [first, second] = pools.map((pool) => createTableLimiter(pool, { windowSeconds }));
    if (!first || !second) throw new Error("There are two pools.");
    return {
      limiters: [first, second],
      async cleanup() {
        await Promise.all(pools.map((pool) => pool.destroy()));
      },
    };
  });

  it("has no row of a window that has ended, once what ended is forgotten", async () => {
    const pool = openPostgres({ url: database.url });
    const limiter = createTableLimiter(pool, { windowSeconds: 1 });
    const { resetIn } = await limiter.take("key:old", 5);
    await new Promise((resolve) => setTimeout(resolve, resetIn + 50));
    await limiter.take("key:new", 5);
    await limiter.forget();
    expect(await ask(database.url, "select key, points from limits")).toEqual([{ key: "key:new", points: 1 }]);
    await pool.destroy();
  });

  it("waits for no disk: what is counted is not in the server's log of writes", async () => {
    expect(await ask(database.url, "select relpersistence from pg_class where relname = 'limits'")).toEqual([
      { relpersistence: "u" },
    ]);
  });

  it("holds one connection a bucket, however many ask, so that others are counted meanwhile", async () => {
    const pool = openPostgres({ url: database.url, poolSize: 2 });
    const limiter = createTableLimiter(pool);
    await limiter.take("key:quiet", 5);
    // As long as somebody holds the row of the noisy one, nothing of it is counted.
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const other = openPostgres({ url: database.url, poolSize: 1 });
    await limiter.take("key:noisy", 100);
    const holding = other.transaction().execute(async (trx) => {
      await trx.updateTable("limits").set({ points: 1 }).where("key", "=", "key:noisy").execute();
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const noisy = Promise.all(Array.from({ length: 64 }, () => limiter.take("key:noisy", 100)));
    expect(await limiter.take("key:quiet", 5)).toMatchObject({ allowed: true, remaining: 3 });
    release.resolve();
    await holding;
    const remaining = (await noisy).map((state) => state.remaining);
    expect(new Set(remaining).size).toBe(64);
    await Promise.all([pool.destroy(), other.destroy()]);
  });

  it("counts in the process alone while the server does not, and says so once", async () => {
    const told: unknown[] = [];
    const pool = openPostgres({ url: database.url });
    const limiter = createTableLimiter(pool, { onAlone: (error) => void told.push(error) });
    await pool.schema.dropTable("limits").execute();
    const states = await Promise.all(Array.from({ length: 5 }, () => limiter.take("key:a", 3)));
    expect(states.filter(({ allowed }) => allowed)).toHaveLength(3);
    expect(await limiter.take("key:a", 3)).toMatchObject({ allowed: false });
    expect(told).toHaveLength(1);
    await pool.destroy();
  });
});

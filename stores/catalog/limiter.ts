import { CompiledQuery } from "kysely";
import type { Kysely } from "kysely";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Limiter } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** How requests are counted in PostgreSQL. */
export interface TableLimiterOptions {
  /** Length of a window; default 60. */
  readonly windowSeconds?: number;
  /** Told, once a window, of what keeps PostgreSQL from counting. */
  readonly onAlone?: (error: unknown) => void;
}

/** Requests of a bucket that are counted in one statement. */
interface Batch {
  size: number;
  readonly counted: Promise<Counted>;
}

interface Counted {
  /** Requests of the window, those of the batch included. */
  readonly total: number;
  readonly resetIn: number;
}

/**
 * Fixed-window rate limits in a table of PostgreSQL, so that they hold over all processes; their clocks have to agree. While it
 * cannot count, each process counts for itself.
 */
export function createTableLimiter(
  db: Kysely<Schema>,
  { windowSeconds = 60, onAlone = () => undefined }: TableLimiterOptions = {},
): Limiter {
  const counters = new Map<number, RateLimiterPostgres>();
  /** Batches that are not sent yet, and what is sent, by bucket. */
  const open = new Map<string, Batch>();
  const sent = new Map<string, Promise<void>>();
  let toldAt = -Infinity;

  /** What the library takes for a connection: the catalog's pool. */
  const storeClient = {
    async query({ text, values }: { text: string; values: readonly unknown[] }) {
      try {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, [...values]));
        return { rows, rowCount: rows.length };
      } catch (error) {
        if (performance.now() - toldAt > windowSeconds * 1000) {
          toldAt = performance.now();
          onAlone(error);
        }
        throw error;
      }
    },
  };

  function counterOf(limit: number): RateLimiterPostgres {
    const known = counters.get(limit);
    if (known) return known;
    const counted = { points: limit, duration: windowSeconds, keyPrefix: "" };
    const counter = new RateLimiterPostgres({
      ...counted,
      storeClient,
      storeType: "client",
      tableName: "limits",
      tableCreated: true,
      clearExpiredByTimeout: false,
      // What is used up stays so until the window ends, and needs no statement any more.
      inMemoryBlockOnConsumed: limit + 1,
      insuranceLimiter: new RateLimiterMemory(counted),
    });
    counters.set(limit, counter);
    return counter;
  }

  /** Counts what has been collected for a bucket, in one statement. */
  async function send(bucket: string, limit: number, batch: Batch): Promise<Counted> {
    open.delete(bucket);
    const consuming = counterOf(limit)
      .consume(bucket, batch.size)
      // The library rejects with the state of a bucket that is used up; none is there of one that it knows to be.
      .catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
    const done = consuming.then(
      () => undefined,
      () => undefined,
    );
    sent.set(bucket, done);
    try {
      const { consumedPoints, msBeforeNext } = await consuming;
      return { total: consumedPoints === 0 ? limit + batch.size : consumedPoints, resetIn: msBeforeNext };
    } finally {
      if (sent.get(bucket) === done) sent.delete(bucket);
    }
  }

  /** Those who come while a bucket is being counted are counted together: otherwise each would hold a connection, and wait for the row. */
  function join(bucket: string, limit: number): Batch {
    const known = open.get(bucket);
    if (known) return known;
    const batch: Batch = {
      size: 0,
      counted: (sent.get(bucket) ?? Promise.resolve()).then(() => send(bucket, limit, batch)),
    };
    open.set(bucket, batch);
    return batch;
  }

  return {
    async take(bucket, limit) {
      const batch = join(bucket, limit);
      batch.size += 1;
      const place = batch.size;
      const { total, resetIn } = await batch.counted;
      const consumed = total - batch.size + place;
      return { allowed: consumed <= limit, limit, remaining: Math.max(0, limit - consumed), resetIn };
    },

    async look(bucket, limit) {
      const found = await counterOf(limit).get(bucket);
      const remaining = Math.max(0, limit - (found?.consumedPoints ?? 0));
      return { allowed: remaining > 0, limit, remaining, resetIn: found?.msBeforeNext ?? windowSeconds * 1000 };
    },

    async forget() {
      await db.deleteFrom("limits").where("expire", "<", Date.now()).execute();
    },
  };
}

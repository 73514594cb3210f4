import { CompiledQuery, type Kysely } from "kysely";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Limiter } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** Options of `createTableLimiter`. */
export interface TableLimiterOptions {
  /** Default 60. */
  readonly windowSeconds?: number;
  /** Called with the error while PostgreSQL cannot count, once per window. */
  readonly onAlone?: (error: unknown) => void;
}

/** Requests to a bucket that one statement counts. */
interface Batch {
  size: number;
  readonly counted: Promise<Counted>;
}

interface Counted {
  /** Requests in the window, including the batch. */
  readonly total: number;
  readonly resetIn: number;
}

/**
 * Fixed-window rate limits in a PostgreSQL table, shared by all processes; their clocks have to agree. While PostgreSQL cannot count,
 * each process counts for itself.
 */
export function createTableLimiter(
  db: Kysely<Schema>,
  { windowSeconds = 60, onAlone = () => undefined }: TableLimiterOptions = {},
): Limiter {
  const counters = new Map<number, RateLimiterPostgres>();
  /** Batches not sent yet, and the statements under way, by bucket. */
  const open = new Map<string, Batch>();
  const sent = new Map<string, Promise<void>>();
  let reportedAt = -Infinity;

  /** The catalog's pool, in the form of a client of the library. */
  const storeClient = {
    async query({ text, values }: { text: string; values: readonly unknown[] }) {
      try {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, [...values]));
        return { rows, rowCount: rows.length };
      } catch (error) {
        if (performance.now() - reportedAt > windowSeconds * 1000) {
          reportedAt = performance.now();
          onAlone(error);
        }
        throw error;
      }
    },
  };

  function counterOf(limit: number): RateLimiterPostgres {
    const known = counters.get(limit);
    if (known) return known;
    const window = { points: limit, duration: windowSeconds, keyPrefix: "" };
    const counter = new RateLimiterPostgres({
      ...window,
      storeClient,
      storeType: "client",
      tableName: "limits",
      tableCreated: true,
      clearExpiredByTimeout: false,
      // A used-up bucket needs no further statement until the window ends.
      inMemoryBlockOnConsumed: limit + 1,
      insuranceLimiter: new RateLimiterMemory(window),
    });
    counters.set(limit, counter);
    return counter;
  }

  /** Counts a batch in one statement. */
  async function send(bucket: string, limit: number, batch: Batch): Promise<Counted> {
    open.delete(bucket);
    const consuming = counterOf(limit)
      .consume(bucket, batch.size)
      // The library rejects with the state of a used-up bucket, without counts if it is blocked in memory.
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

  /** Requests that arrive while a bucket is being counted are counted together; each alone would hold a connection and wait for the row. */
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
      const state = await counterOf(limit).get(bucket);
      const remaining = Math.max(0, limit - (state?.consumedPoints ?? 0));
      return { allowed: remaining > 0, limit, remaining, resetIn: state?.msBeforeNext ?? windowSeconds * 1000 };
    },

    async forget() {
      await db.deleteFrom("limits").where("expire", "<", Date.now()).execute();
    },
  };
}

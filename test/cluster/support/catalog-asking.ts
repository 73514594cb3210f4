import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import type { Catalog } from "../../../domain/ports.ts";

/** Asks a database something outside of the catalog. */
export const ask = async (url: string, text: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

/** How something ended, and in how many milliseconds. */
export const timed = async (work: () => Promise<unknown>): Promise<{ error: unknown; took: number }> => {
  const start = performance.now();
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, took: performance.now() - start };
};

/** What every call answers that the server cannot. */
export const searchFailed = expect.objectContaining({ name: "Failure", code: "search_failed" }) as unknown;

/** Reads without a pause until `busy` is over; each reading's end. */
export const readDuring = async (catalog: Catalog, busy: Promise<unknown>) => {
  const seen: { error: unknown; took: number }[] = [];
  let over = false;
  const end = busy.finally(() => (over = true));
  while (!over) {
    seen.push(await timed(() => catalog.libraries.find([""], "/acme/widgets", "")));
    await sleep(10);
  }
  await end;
  return seen;
};

import { expect } from "vitest";

import type { setup } from "./setup.ts";

type World = Awaited<ReturnType<typeof setup>>;

/** The audit records that the API lists, oldest first. */
export async function recordsOf({ send }: Pick<World, "send">, query = "", key?: string) {
  const request = key === undefined ? {} : { key };
  const { status, body } = await send("GET", `/v2/audit?limit=100&${query}`, request);
  const { records } = body as { records: readonly Record<string, unknown>[] };
  expect(status).toBe(200);
  return records.toReversed();
}

import { expect } from "vitest";
import type { LecternProcess } from "./lectern-process.ts";

/** Refreshes a library over HTTP and waits; returns its latest run. */
export async function refreshedRun(
  server: Pick<LecternProcess, "call" | "settled">,
  libraryName: string,
): Promise<Record<string, unknown> | undefined> {
  expect(await server.call("POST", "/v1/refresh", { libraryName })).toMatchObject({ status: 200 });
  const { runs } = (await server.settled(libraryName)) as { runs: Record<string, unknown>[] };
  return runs[0];
}

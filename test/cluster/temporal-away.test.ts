import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { pino } from "pino";
import { describe, expect, inject, it } from "vitest";
import { openSqliteCatalog } from "../../catalog/sqlite.ts";
import { freePort } from "../../dev/program.ts";
import { Failure } from "../../domain/failures.ts";
import type { Indexing, RunRecord } from "../../domain/ports.ts";
import { createTemporalEngine } from "../../workers/temporal-engine.ts";
import { openFirstRun } from "../contracts/indexing-scripts.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const temporal = inject("temporal");

describe("the engine where Temporal is away", () => {
  const away = async (
    address: string,
    namespace: string,
  ): Promise<{ engine: Indexing; run: RunRecord; close(): Promise<void> }> => {
    const folder = await temporaryFolder();
    const catalog = await openSqliteCatalog({ file: join(folder.path, "catalog.sqlite") });
    const connection = Connection.lazy({ address, interceptors: [] });
    const client = new Client({ connection, namespace });
    const engine = createTemporalEngine({ client, catalog, log: pino({ level: "silent" }), now: Date.now });
    const run = await openFirstRun(catalog, "/is/away");
    return {
      engine,
      run,
      async close() {
        await connection.close();
        await catalog.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  };
  /** What each call fails with, and whether it does so within two seconds. */
  const answers = async (address: string): Promise<object[]> => {
    const { engine, run, close } = await away(address, "lectern");
    const found: object[] = [];
    for (const call of [() => engine.ready(), () => engine.start(run), () => engine.cancel(run)]) {
      const begun = performance.now();
      const error: unknown = await call().catch((reason: unknown) => reason);
      found.push({ code: error instanceof Failure && error.code, inTime: performance.now() - begun < 2000 });
    }
    await close();
    return found;
  };
  const allAway = [1, 2, 3].map(() => ({ code: "service_unavailable", inTime: true }));

  it("says so within two seconds where nobody listens", async () => {
    await expect(answers(`127.0.0.1:${await freePort()}`)).resolves.toEqual(allAway);
  });

  it("says so within two seconds where nobody answers", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    await expect(answers(`127.0.0.1:${(silent.address() as AddressInfo).port}`)).resolves.toEqual(allAway);
    silent.close();
  });

  it.skipIf(temporal === null)("says what to do where the namespace is missing", async () => {
    const { engine, run, close } = await away(temporal ?? "", "not-set-up");
    for (const call of [() => engine.ready(), () => engine.start(run)])
      await expect(call()).rejects.toMatchObject({
        code: "service_unavailable",
        message: expect.stringContaining("lectern setup") as string,
      });
    await close();
  });
});

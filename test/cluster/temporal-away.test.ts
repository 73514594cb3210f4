import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { pino } from "pino";
import { describe, expect, inject, it } from "vitest";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { freePort } from "../../tools/dev/program.ts";
import { hasTemporal, startTemporal } from "../../tools/dev/temporal.ts";
import { Failure } from "../../domain/failures.ts";
import type { Indexing, RunRecord } from "../../domain/ports.ts";
import { createTemporalEngine } from "../../workers/temporal-engine.ts";
import { openFirstRun } from "../contracts/indexing-scripts.ts";
import { startGitServer } from "../support/git-server.ts";
import { inPipe, jsonLines } from "../support/command-line.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

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

describe.skipIf(!hasTemporal())("lectern serve that starts while Temporal is away", () => {
  it("answers, says so, and takes up its work when it comes", { timeout: 120_000 }, async () => {
    await using folder = await temporaryFolder();
    const git = await startGitServer();
    const port = await freePort();
    const server = await startLectern(join(folder.path, "data"), {
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      FETCH_ALLOW: git.host,
      SWEEP_SECONDS: "5",
      INDEX_OWN_DOCS: "on",
    });
    try {
      expect(server.stderr()).toContain("Temporal is unreachable: runs wait until it can be reached");
      expect(await server.call("GET", "/ready")).toMatchObject({
        status: 200,
        body: { checks: { catalog: "ok", index: "ok", engine: "unreachable" } },
      });
      expect((await server.call("GET", "/v2/libs/search?libraryName=lectern&query=run")).status).toBe(200);
      // The run of its own documentation is open, and waits.
      expect((await server.call("GET", "/v2/context?libraryId=/docs/lectern&query=run")).status).toBe(202);
      const { url } = await git.repository("acme/widgets.git", {
        "README.md": "# Widgets\n\nRun `make` to install.\n",
      });
      const submission = { docsRepoUrl: url, libraryName: "/acme/widgets" };
      expect(await server.call("POST", "/v2/add/repo/git", submission)).toMatchObject({
        status: 503,
        body: { error: "service_unavailable", message: "The indexing engine is unreachable. Try again in a moment." },
      });
      expect((await server.call("GET", "/v2/system")).body).toMatchObject({ engine: { isReachable: false } });
      expect((await server.call("GET", "/metrics")).body).toContain('lectern_part_reachable{part="engine"} 0');
      const doctor = async () => {
        const env = {
          TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
          PUBLIC_URL: server.url,
          DATA_DIR: join(folder.path, "data"),
        };
        return jsonLines((await inPipe(["doctor"], { env })).stdout).filter(({ state }) => state === "wrong");
      };
      const unreachable = expect.stringContaining("The engine is unreachable") as string;
      expect(await doctor()).toMatchObject([{ check: "readiness", message: unreachable }]);

      const temporal = await startTemporal({ folder: join(folder.path, "temporal"), port, ui: false });
      try {
        await expect
          .poll(async () => (await server.call("POST", "/v2/add/repo/git", submission)).status, { timeout: 40_000 })
          .toBe(200);
        expect(await server.settled("/acme/widgets")).toMatchObject({ state: "finalized" });
        expect(await server.settled("/docs/lectern")).toMatchObject({ state: "finalized" });
        expect((await server.call("GET", "/ready")).body).toMatchObject({ checks: { engine: "ok" } });
        expect(server.stderr()).toContain("Temporal is reachable: this process executes runs");
        expect(await doctor()).toEqual([]);
        expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
      } finally {
        await temporal.stop();
      }
    } finally {
      await server.kill("SIGKILL");
      await git.close();
    }
  });

  it("stops in order while it waits", { timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` });
    const begun = performance.now();
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

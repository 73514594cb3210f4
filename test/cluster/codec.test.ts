import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { Client } from "@temporalio/client";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { startServer } from "../../api/server.ts";
import { findProgram } from "../../tools/dev/program.ts";
import { Failure } from "../../domain/failures.ts";
import { createDataConverter, createPayloadCodec, type PayloadKey } from "../../workers/codec.ts";
import { connectTemporal, connectTemporalWorker } from "../../workers/temporal-connection.ts";
import { createTemporalEngine, libraryWorkflowId } from "../../workers/temporal-engine.ts";
import { adminKey, setup } from "../api/setup.ts";
import { closedRun, openFirstRun } from "../contracts/indexing-scripts.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { hasOpenssl, makeCertificates, startTlsProxy } from "../workers/tls-rig.ts";
import { openTemporalRig, type TemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");
const run = promisify(execFile);
const log = pino({ level: "silent" });
const newKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });

describe.skipIf(temporal === null)("With encrypted payloads", () => {
  const [old, young] = [newKey("old"), newKey("young")];
  let rig: TemporalRig;
  beforeAll(async () => {
    rig = await openTemporalRig(temporal ?? "", { dataConverter: createDataConverter([old]) });
  });
  afterAll(() => rig.close());

  const cli = findProgram("temporal");
  it.skipIf(cli === undefined)(
    "Temporal's command line shows a run through the codec endpoint, and nothing without it",
    async () => {
      const stop = await rig.work({
        collect: async () => {
          throw new Failure("source_refused", "A sentence about the vault.");
        },
      });
      const opened = await openFirstRun(rig.catalog, "/shown/by-cli");
      const { runId } = opened;
      await rig.engine.start(opened);
      await closedRun(rig.catalog, runId);
      const workflowId = libraryWorkflowId(opened);
      await expect(rig.client.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
        cause: { type: "source_refused" },
      });
      await stop();

      const { app } = await setup({}, { codec: createPayloadCodec([young, old]) });
      const server = await startServer(app, { host: "127.0.0.1", port: 0, log });
      onTestFinished(() => server.close());
      const show = async (...more: string[]): Promise<string> => {
        const where = ["--address", rig.address, "--namespace", rig.namespace, "--workflow-id", workflowId];
        const { stdout } = await run(cli ?? "", ["workflow", "show", ...where, "--output", "json", ...more], {
          maxBuffer: 10_000_000,
        });
        // Payloads are in base64 also when they are decrypted.
        return stdout.replaceAll(/"data": "([\w+/=]+)"/g, (_, data: string) => Buffer.from(data, "base64").toString());
      };
      const plain = await show();
      expect(plain).not.toContain("vault");
      expect(plain).not.toContain(runId);
      const decoded = await show(
        "--codec-endpoint",
        `${server.url}/api/temporal/codec`,
        "--codec-auth",
        `Bearer ${adminKey}`,
      );
      expect(decoded).toContain("A sentence about the vault.");
      expect(decoded).toContain(runId);
    },
  );

  it("a run goes on after the key was changed while it was under way", async () => {
    const opened = await openFirstRun(rig.catalog, "/changed/key");
    await rig.engine.start(opened);
    const stop = await rig.work({}, { queues: ["main"] });
    await expect
      .poll(async () => (await rig.catalog.runs.get(opened.runId))?.phase, { timeout: 20_000 })
      .toBe("resolving");
    await stop();
    const { connection, namespace } = await connectTemporalWorker({
      env: { TEMPORAL_ADDRESS: rig.address, TEMPORAL_NAMESPACE: rig.namespace, TEMPORAL_CONFIG_FILE: "/none" },
      log,
    });
    const stopNew = await rig.work({}, { connection, namespace, dataConverter: createDataConverter([young, old]) });
    expect(await closedRun(rig.catalog, opened.runId)).toMatchObject({ outcome: "published" });
    await stopNew();
    await connection.close();
    const { events } = await rig.client.workflow.getHandle(libraryWorkflowId(opened)).fetchHistory();
    const ids = [...JSON.stringify(events).matchAll(/"encryption-key-id":"([\w+/=]+)"/g)];
    const names = ids.map(([, id = ""]) => Buffer.from(id, "base64").toString());
    expect(new Set(names)).toEqual(new Set(["old", "young"]));
  });

  it.each([
    [true, false],
    [false, true],
  ])("a run goes on after encryption was switched while it was under way: %s, then %s", async (before, after) => {
    const opened = await openFirstRun(rig.catalog, `/switched/${before}`);
    await engineOf([old], before).start(opened);
    const begun = { queues: ["main"], dataConverter: createDataConverter([old], { encrypts: before }) } as const;
    const stop = await rig.work({}, begun);
    await expect
      .poll(async () => (await rig.catalog.runs.get(opened.runId))?.phase, { timeout: 20_000 })
      .toBe("resolving");
    await stop();
    await engineOf([old], after).start(opened);
    const stopNew = await rig.work({}, { dataConverter: createDataConverter([old], { encrypts: after }) });
    expect(await closedRun(rig.catalog, opened.runId)).toMatchObject({ outcome: "published" });
    await stopNew();
  });

  /** The engine of a process with these keys. */
  const engineOf = (ring: readonly PayloadKey[], encrypts = true, now = Date.now) => {
    const dataConverter = createDataConverter(ring, { encrypts });
    const client = new Client({ connection: rig.client.connection, namespace: rig.namespace, dataConverter });
    return createTemporalEngine({ client, catalog: rig.catalog, log, now });
  };

  it("a run whose key is gone ends with a failure that says so, and the next one is executed", async () => {
    const opened = await openFirstRun(rig.catalog, "/lost/key");
    await rig.engine.start(opened);
    const stop = await rig.work({}, { dataConverter: createDataConverter([young]) });
    const [soon, late] = [Date.now, () => Date.now() + 16 * 60_000].map((now) => engineOf([young], true, now));
    await soon?.start(opened);
    expect(await rig.catalog.runs.get(opened.runId)).toMatchObject({ state: "open" });
    await late?.start(opened);
    expect(await rig.catalog.runs.get(opened.runId)).toMatchObject({
      state: "closed",
      outcome: "failed",
      failure: {
        code: "internal_error",
        message:
          'Indexing of /lost/key was given up, as no worker can decrypt its data in Temporal. A Temporal payload is encrypted with the key "old", which is missing. Add it to ENCRYPTION_KEYS again. Then refresh the library.',
      },
    });
    const next = await rig.catalog.runs.open(
      opened.libraryUid,
      "",
      { runId: `${opened.runId}-next`, reason: "refresh", priority: 10 },
      Date.now(),
    );
    await soon?.start(next?.run ?? opened);
    expect(await closedRun(rig.catalog, next?.run.runId ?? "")).toMatchObject({ outcome: "published" });
    await stop();
  });

  it("a run whose key is gone is cancelled at once", async () => {
    const opened = await openFirstRun(rig.catalog, "/lost/and-cancelled");
    await rig.engine.start(opened);
    await engineOf([young]).cancel(opened);
    expect(await rig.catalog.runs.get(opened.runId)).toMatchObject({ state: "closed", outcome: "cancelled" });
  });
});

describe.skipIf(temporal === null || !hasOpenssl)("Behind mutual TLS", () => {
  it("a run is started, executed and read, with encrypted payloads", async () => {
    await using folder = await temporaryFolder();
    const dataConverter = createDataConverter([newKey("only")]);
    const rig = await openTemporalRig(temporal ?? "", { dataConverter });
    const certificates = await makeCertificates(folder.path);
    const proxy = await startTlsProxy({ certificates, wantsClient: true, target: rig.address });
    const env = {
      HOME: folder.path,
      TEMPORAL_ADDRESS: proxy.address,
      TEMPORAL_NAMESPACE: rig.namespace,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.file("ca.pem"),
      TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.file("client.pem"),
      TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.file("client.key"),
    };
    const temporalClient = connectTemporal({ env, log, dataConverter });
    await temporalClient.check();
    const { connection, namespace } = await connectTemporalWorker({ env, log });
    const stop = await rig.work({}, { connection, namespace });
    const engine = createTemporalEngine({ client: temporalClient.client, catalog: rig.catalog, log, now: Date.now });
    await engine.ready();
    const opened = await openFirstRun(rig.catalog, "/behind/tls");
    await engine.start(opened);
    expect(await closedRun(rig.catalog, opened.runId)).toMatchObject({ outcome: "published" });
    await temporalClient.client.workflow.getHandle(libraryWorkflowId(opened)).result();
    const { memo } = await temporalClient.client.workflow.getHandle(libraryWorkflowId(opened)).describe();
    expect(memo).toMatchObject({ runId: opened.runId, outcome: "published" });

    await stop();
    await connection.close();
    await temporalClient.close();
    const { TEMPORAL_TLS_CLIENT_CERT_PATH: _, TEMPORAL_TLS_CLIENT_KEY_PATH: __, ...without } = env;
    const started = performance.now();
    const refused = connectTemporal({ env: without, log });
    await expect(refused.check()).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("alert certificate required") as string,
    });
    expect(performance.now() - started).toBeLessThan(2000);
    await refused.close();
    await proxy.close();
    await rig.close();
  });
});

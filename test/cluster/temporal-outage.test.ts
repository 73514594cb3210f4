import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, inject, it } from "vitest";
import { freePort } from "../../tools/dev/program.ts";
import { hasTemporal, startTemporal, type Temporal } from "../../tools/dev/temporal.ts";
import { queues } from "../../domain/queues.ts";
import { createTemporalWorker } from "../../workers/temporal-worker.ts";
import { closedRun, openFirstRun, sampleCounts, scriptedActivities } from "../contracts/indexing-scripts.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { openTemporalRig } from "./support/temporal.ts";

// A server of the test's own, to be killed: it needs the program, not only an address.
const startable = inject("temporal") !== null && hasTemporal();

describe.skipIf(!startable)("a worker whose Temporal is killed and stays away", () => {
  it("ends with what to do once it was told so, and lets go of the connection", { timeout: 120_000 }, async () => {
    await using folder = await temporaryFolder();
    const server = await startTemporal({ folder: join(folder.path, "temporal"), port: await freePort(), ui: false });
    const rig = await openTemporalRig(server.address);
    const worker = await createTemporalWorker({
      connection: rig.native,
      namespace: rig.namespace,
      queues,
      slots: { main: 5, git: 5, crawl: 5, browser: 1, load: 5 },
      catalog: rig.catalog,
      activities: scriptedActivities(rig.catalog, {}),
      sweep: async () => ({}),
      workflowBundle: rig.bundle,
      shutdownGrace: 1000,
      lostAfter: 5000,
      log: pino({ level: "silent" }),
      now: Date.now,
    });
    const running = worker.run();
    running.catch(() => undefined);
    // It is asked a few times, and answers.
    await sleep(7000);
    expect(worker.ready()).toBe(true);
    await server.kill();
    const killed = performance.now();
    await expect(running).rejects.toMatchObject({
      code: "service_unavailable",
      message: "Temporal did not respond for 5 s. This worker exits; its supervisor has to restart it.",
    });
    expect(performance.now() - killed).toBeGreaterThan(3900);
    worker.stop();
    await worker.stopped();
    await rig.close();
  });
});

describe.skipIf(!startable)("a worker whose Temporal is killed and comes back", () => {
  it("finishes the run that was under way, and takes new ones", { timeout: 180_000 }, async () => {
    await using folder = await temporaryFolder();
    const port = await freePort();
    const start = (): Promise<Temporal> => startTemporal({ folder: join(folder.path, "temporal"), port, ui: false });
    let server = await start();
    const rig = await openTemporalRig(server.address);
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await rig.work({
      collect: async (context, { request }) => {
        context.report({ pagesDone: 1 });
        await held;
        return { generation: request.runId, contentHash: "h", revision: "c1", counts: sampleCounts };
      },
    });
    const run = await openFirstRun(rig.catalog, "/through/a-crash");
    await rig.engine.start(run);
    await expect
      .poll(async () => (await rig.catalog.runs.get(run.runId))?.phase, { timeout: 20_000 })
      .toBe("collecting");

    await server.kill();
    const refused = await openFirstRun(rig.catalog, "/during/the-crash");
    const asked = performance.now();
    await expect(rig.engine.ready()).rejects.toMatchObject({ code: "service_unavailable" });
    expect(performance.now() - asked).toBeLessThan(2000);
    await sleep(8000);
    // The step ends while nobody can be told.
    goOn();
    await sleep(500);
    server = await start();

    await expect
      .poll(
        () =>
          rig.engine.start(refused).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    for (const { runId } of [run, refused])
      expect(await closedRun(rig.catalog, runId)).toMatchObject({ outcome: "published" });
    await rig.close();
    await server.stop();
  });
});

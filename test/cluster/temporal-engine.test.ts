import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkflowFailedError } from "@temporalio/client";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { RunRecord } from "../../domain/ports.ts";
import { stepPolicies, type StepName } from "../../domain/steps.ts";
import { libraryWorkflowId, createTemporalEngine } from "../../workers/temporal-engine.ts";
import { sampleLibrary, sampleRun } from "../contracts/catalog-samples.ts";
import { closedRun, openFirstRun, sampleCounts, untilStopped, type Script } from "../contracts/indexing-scripts.ts";
import { openTemporalRig, type TemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");
const silent = pino({ level: "silent" });

describe.skipIf(temporal === null)("the engine on Temporal", () => {
  let rig: TemporalRig;
  beforeAll(async () => {
    rig = await openTemporalRig(temporal ?? "");
  });
  afterAll(() => rig.close());

  const work: TemporalRig["work"] = async (script, options) => {
    const stop = await rig.work(script, options);
    onTestFinished(stop);
    return stop;
  };
  const submitted = async (id: string): Promise<RunRecord> => {
    const run = await openFirstRun(rig.catalog, id);
    await rig.engine.start(run);
    return run;
  };
  const execution = (run: RunRecord) => rig.client.workflow.getHandle(libraryWorkflowId(run));
  const executions = async (run: RunRecord): Promise<number> => {
    let count = 0;
    for await (const _ of rig.client.workflow.list({ query: `WorkflowId = "${libraryWorkflowId(run)}"` })) count += 1;
    return count;
  };

  it("begins one execution where several processes start the same run at once", async () => {
    const run = await openFirstRun(rig.catalog, "/at/once");
    await Promise.all([1, 2, 3, 4].map(() => rig.engine.start(run)));
    await work({});
    await closedRun(rig.catalog, run.runId);
    await expect.poll(() => executions(run), { timeout: 10_000 }).toBe(1);
  });

  it("closes a run as cancelled that an operator terminated in Temporal", async () => {
    const run = await submitted("/terminated/by-hand");
    await execution(run).terminate("no more of it");
    await rig.engine.start(run);
    expect(await rig.catalog.runs.get(run.runId)).toMatchObject({
      state: "closed",
      outcome: "cancelled",
      failure: { code: "run_cancelled", message: expect.stringContaining("terminated in Temporal") as string },
    });
  });

  it("closes a run as timed out that Temporal has timed out", async () => {
    const run = await openFirstRun(rig.catalog, "/timed/out");
    const handle = await rig.client.workflow.start("indexLibrary", {
      workflowId: libraryWorkflowId(run),
      taskQueue: "nobody",
      args: [],
      memo: { runId: run.runId },
      workflowExecutionTimeout: 200,
    });
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    await rig.engine.start(run);
    expect(await rig.catalog.runs.get(run.runId)).toMatchObject({ outcome: "failed", failure: { code: "timeout" } });
  });

  it("closes a run with its own failure where its last step could not", async () => {
    const run = await submitted("/not/concluded");
    await work({
      collect: async () => {
        throw new Failure("source_not_found", "It is gone.");
      },
      conclude: async () => {
        throw new Failure("source_invalid", "It cannot be written down.");
      },
    });
    await expect(execution(run).result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect(await rig.catalog.runs.get(run.runId)).toMatchObject({ state: "open" });
    await rig.engine.start(run);
    expect(await rig.catalog.runs.get(run.runId)).toMatchObject({
      outcome: "failed",
      failure: { code: "source_invalid", message: "It cannot be written down." },
    });
  });

  it("starts and cancels runs although the execution before them ends while it is looked at", async () => {
    const gate = Promise.withResolvers<void>();
    await work({
      conclude: async (_, { request, conclusion }) => {
        await rig.catalog.runs.close(request.runId, conclusion, Date.now());
        if (request.runId === first.runId) await gate.promise;
      },
    });
    const first = await submitted("/refreshed/at-once");
    await closedRun(rig.catalog, first.runId);
    const { workflow } = rig.client;
    const getHandle: typeof workflow.getHandle = (id, runId) => {
      const handle = workflow.getHandle(id, runId);
      return Object.assign(handle, {
        describe: async () => {
          const found = await workflow.getHandle(id, runId).describe();
          gate.resolve();
          await workflow.getHandle(id, found.runId).result();
          return found;
        },
      });
    };
    const slow = Object.create(rig.client, {
      workflow: { value: Object.create(workflow, { getHandle: { value: getHandle } }) },
    }) as typeof rig.client;
    const engine = createTemporalEngine({ client: slow, catalog: rig.catalog, log: silent, now: Date.now });
    const second = await rig.catalog.runs.open(first.libraryUid, "", sampleRun("second"), Date.now());
    if (!second) throw new Error("There is no run.");
    await engine.start(second.run);
    expect(await closedRun(rig.catalog, "second")).toMatchObject({ outcome: "published" });
    await engine.cancel(second.run);
  });

  it("lets a run go on whose library was renamed, and starts that of the name's new library after it", async () => {
    const gate = Promise.withResolvers<void>();
    await work({
      async collect(_, { request }) {
        await gate.promise;
        return { generation: request.runId, contentHash: "h", revision: "c1", counts: sampleCounts };
      },
    });
    const first = await submitted("/renamed/old");
    const running = async () => (await execution(first).describe()).status.name;
    await expect.poll(running).toBe("RUNNING");
    const { source } = sampleLibrary("");
    const from = source.kind === "git" ? source.url : "";
    await rig.catalog.libraries.update(first.libraryUid, { source });
    const move = { from, to: `${from}-new`, id: "/renamed/new" };
    const moved = await rig.catalog.libraries.move(first.libraryUid, move, Date.now());
    expect(moved?.id).toBe("/renamed/new");
    const second = await submitted("/renamed/old");
    expect(second.libraryUid).not.toBe(first.libraryUid);
    expect(await running()).toBe("RUNNING");
    gate.resolve();
    expect(await closedRun(rig.catalog, first.runId)).toMatchObject({ outcome: "published" });
    await execution(first).result();
    await rig.engine.start(second);
    expect(await closedRun(rig.catalog, second.runId)).toMatchObject({ outcome: "published" });
  });

  it("executes a run again whose end the catalog has lost", async () => {
    let concluded = 0;
    const run = await submitted("/restored/from-backup");
    await work({
      conclude: async (_, { request, conclusion }) => {
        concluded += 1;
        if (concluded > 1) await rig.catalog.runs.close(request.runId, conclusion, Date.now());
      },
    });
    await execution(run).result();
    await rig.engine.start(run);
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ outcome: "published" });
    expect(concluded).toBe(2);
  });

  it("ends what executes for a library that was deleted and added again, and executes the new run", async () => {
    let stopped = false;
    await work({
      collect: async (context, { request }) => {
        if (request.runId === first.runId) await untilStopped(context).finally(() => (stopped = true));
        return { generation: request.runId, contentHash: "h", revision: "c1", counts: sampleCounts };
      },
    });
    const first = await submitted("/added/again");
    await expect
      .poll(async () => (await rig.catalog.runs.get(first.runId))?.phase, { timeout: 10_000 })
      .toBe("collecting");
    await rig.catalog.libraries.remove(first.libraryUid, Date.now());
    const second = await submitted("/added/again");
    expect(await closedRun(rig.catalog, second.runId)).toMatchObject({ outcome: "published" });
    await expect.poll(() => stopped, { timeout: 10_000 }).toBe(true);
  });

  it("takes a library that is deleted and added again within the same second", async () => {
    const first = await submitted("/added/at-once");
    await rig.catalog.libraries.remove(first.libraryUid, Date.now());
    await rig.engine.cancel(first);
    const begun = performance.now();
    const second = await submitted("/added/at-once");
    expect(performance.now() - begun).toBeLessThan(2000);
    await work({});
    expect(await closedRun(rig.catalog, second.runId)).toMatchObject({ outcome: "published" });
  });

  it("leaves the run that executes alone where an older one of the library is started or cancelled", async () => {
    const first = await submitted("/older/run");
    await rig.catalog.libraries.remove(first.libraryUid, Date.now());
    await execution(first).terminate();
    const second = await submitted("/older/run");
    await rig.engine.start(first);
    await rig.engine.cancel(first);
    const { memo, status } = await execution(second).describe();
    expect({ runId: memo?.["runId"], status: status.name }).toEqual({ runId: second.runId, status: "RUNNING" });
    await work({});
    expect(await closedRun(rig.catalog, second.runId)).toMatchObject({ outcome: "published" });
  });

  it("waits for a part of the deployment that is away for longer than attempts are made", async () => {
    let calls = 0;
    await work({
      assess: async () => {
        calls += 1;
        if (calls <= stepPolicies.assess.attempts) throw new Failure("search_failed", "The catalog is away.");
        return { verdict: "publish" };
      },
    });
    const run = await submitted("/through/an-outage");
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ outcome: "published" });
    expect(calls).toBe(stepPolicies.assess.attempts + 1);
  });

  it("hands a step over where its worker is told to stop, more often than it has attempts", async () => {
    const run = await submitted("/handed/over");
    for (let stops = 1; stops <= stepPolicies.collect.attempts + 1; stops += 1) {
      const told: StepName[] = [];
      const collect: Script["collect"] = (context) => untilStopped(context);
      const stop = await work({ collect }, { shutdownGrace: 500, told: (name) => told.push(name) });
      await expect.poll(() => told).toContain("collect");
      const asked = performance.now();
      await stop();
      expect(performance.now() - asked).toBeLessThan(5000);
      expect(await rig.catalog.runs.get(run.runId)).toMatchObject({ state: "open", attempt: 1, lastFailure: null });
    }
    const begun: StepName[] = [];
    await work({}, { told: (name) => begun.push(name) });
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ outcome: "published" });
    expect(begun).toEqual(["collect", "assess", "load", "publish", "announce", "retire", "conclude"]);
  });

  it("lets a step finish that takes less than the grace its worker is given to stop", async () => {
    let calls = 0;
    const stop = await work(
      {
        load: async () => {
          calls += 1;
          await sleep(1500);
          return { snippets: 1 };
        },
      },
      { shutdownGrace: 10_000 },
    );
    const run = await submitted("/finished/in-time");
    await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
    await stop();
    await work({
      load: async () => {
        calls += 1;
        return { snippets: 1 };
      },
    });
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ outcome: "published" });
    expect(calls).toBe(1);
  });

  it("goes on with every step of a worker that was killed", { timeout: 180_000 }, async () => {
    // Only libraries with pages that need a browser have the step render.
    const steps = (Object.keys(stepPolicies) as StepName[]).filter((name) => name !== "render");
    const script = join(import.meta.dirname, "support", "temporal-worker-process.ts");
    const { address, namespace, catalogFile, bundle } = rig;
    const child = spawn(process.execPath, [script, address, namespace, catalogFile, bundle.codePath], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(child, "exit");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const runs = await Promise.all(steps.map((name) => submitted(`/lost/${name}`)));
    await expect
      .poll(() => steps.filter((name) => !output.includes(`/lost/${name} ${name}\n`)), { timeout: 30_000 })
      .toEqual([]);
    child.kill("SIGKILL");
    await exit;

    const begun: string[] = [];
    await work({}, { told: (name, libraryId) => begun.push(`${libraryId} ${name}`) });
    for (const run of runs)
      expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ state: "closed", outcome: "published" });
    // Only the step that was lost is repeated, and what comes behind it.
    const after = (name: (typeof steps)[number]): string[] =>
      steps.slice(steps.indexOf(name)).map((step) => `/lost/${name} ${step}`);
    expect(begun.toSorted()).toEqual(steps.flatMap(after).toSorted());
  });

  it("takes libraries with IDs longer than Temporal's", async () => {
    await work({});
    const run = await submitted(`/long/${"é".repeat(400)}`);
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({ outcome: "published" });
  });
});

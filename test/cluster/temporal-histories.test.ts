import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CompleteAsyncError } from "@temporalio/activity";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { Worker } from "@temporalio/worker";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { RunRecord, StepControl } from "../../domain/ports.ts";
import { queues } from "../../domain/queues.ts";
import { stepPolicies, type Phase } from "../../domain/steps.ts";
import { libraryWorkflowId } from "../../workers/temporal-engine.ts";
import { createTemporalActivities } from "../../workers/temporal-activities.ts";
import { sweepSchedule } from "../../workers/temporal-setup.ts";
import { taskQueue } from "../../workflows/names.ts";
import {
  openFirstRun,
  sampleCounts,
  scriptedActivities,
  untilStopped,
  type Script,
} from "../contracts/indexing-scripts.ts";
import { openTemporalRig, type TemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");
const folder = join(import.meta.dirname, "..", "fixtures", "histories");

/** RECORD_HISTORIES=1 writes the histories that test/workflows/replay.test.ts replays. */
const recording = process.env["RECORD_HISTORIES"] === "1";

const fails = (code: Failure["code"], message: string) => async (): Promise<never> => {
  throw new Failure(code, message);
};

const live = { generation: "run-0", contentHash: "h" };

/** Every way a run can end: what its steps do, the status that Temporal shows, and the outcome in the memo. */
const endings: Readonly<Record<string, { script: Script; status: string; outcome: string }>> = {
  published: { script: {}, status: "COMPLETED", outcome: "published" },
  "unchanged-revision": {
    script: { resolve: async () => ({ unchanged: true, revision: "c1", ref: "main", location: "", live }) },
    status: "COMPLETED",
    outcome: "unchanged",
  },
  "unchanged-content": {
    script: { resolve: async () => ({ unchanged: false, revision: "c1", ref: "main", location: "", live }) },
    status: "COMPLETED",
    outcome: "unchanged",
  },
  held: {
    script: { assess: async () => ({ verdict: "hold", reason: "It lost most of its snippets." }) },
    status: "COMPLETED",
    outcome: "held",
  },
  superseded: { script: { publish: async () => ({ published: false }) }, status: "COMPLETED", outcome: "superseded" },
  "failed-source": {
    script: { resolve: fails("source_not_found", "The repository is gone.") },
    status: "FAILED",
    outcome: "failed",
  },
  "failed-verdict": {
    script: { assess: fails("no_code_found", "Documents were read, but they gave no snippets.") },
    status: "FAILED",
    outcome: "failed",
  },
  "failed-after-attempts": {
    script: { collect: fails("source_unreachable", "The source broke off.") },
    status: "FAILED",
    outcome: "failed",
  },
  "failed-unexpectedly": {
    script: {
      load: async () => {
        throw new TypeError("inside");
      },
    },
    status: "FAILED",
    outcome: "failed",
  },
  "failed-timeout": {
    script: { collect: fails("timeout", "The step took longer than two hours.") },
    status: "FAILED",
    outcome: "failed",
  },
  "failed-unconcluded": {
    script: { conclude: fails("source_invalid", "The end cannot be written down.") },
    status: "FAILED",
    outcome: "failed",
  },
  "waited-through-outage": {
    script: { assess: failsTimes(3, "search_failed", "The catalog is away.", { verdict: "publish" }) },
    status: "COMPLETED",
    outcome: "published",
  },
  "waited-for-its-turn": {
    script: {
      collect: failsTimes(2, "host_busy", "Others read from the host.", {
        generation: "run-1",
        contentHash: "h1",
        revision: "c1",
        counts: sampleCounts,
      }),
    },
    status: "COMPLETED",
    outcome: "published",
  },
  "retried-step": {
    script: { load: failsTimes(1, "search_failed", "The index is away.", { snippets: 1 }) },
    status: "COMPLETED",
    outcome: "published",
  },
};

const phases = {
  resolve: "resolving",
  collect: "collecting",
  assess: "assessing",
  load: "loading",
  publish: "publishing",
  announce: "announcing",
  retire: "retiring",
} as const satisfies Partial<Record<keyof Script, Phase>>;

/** Fails the first times of every run, then answers. */
function failsTimes(times: number, code: Failure["code"], message: string, answer: unknown): () => Promise<unknown> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Failure(code, message);
    return answer;
  };
}

describe.skipIf(temporal === null)("the histories of runs", { timeout: 240_000 }, () => {
  let rig: TemporalRig;
  /** Steps of workers that fall silent: the server has them given to others. */
  let silent: TemporalRig;
  let stopSilent: () => Promise<void>;
  let sweeping: (control: StepControl) => Promise<unknown> = async () => ({ runs: 0 });

  /** The script of the library's name, at every step. */
  const scripts: Record<string, Script> = Object.fromEntries([
    ...Object.entries(endings).map(([name, { script }]) => [name, script]),
    ...Object.entries(phases).map(([step, phase]) => [`cancelled-${phase}`, { [step]: untilStopped }]),
  ]);

  let queued: RunRecord;

  beforeAll(async () => {
    rig = await openTemporalRig(temporal ?? "");
    const names = Object.keys(stepPolicies) as (keyof Script)[];
    const unscripted = scriptedActivities(rig.catalog, {});
    const script = Object.fromEntries(
      names.map((step) => [
        step,
        (context: StepControl, input: { request: { libraryId: string } }) => {
          const scripted = scripts[input.request.libraryId.split("/")[2] ?? ""]?.[step] as Step | undefined;
          return scripted ? scripted(context, input) : (unscripted(() => context)[step] as unknown as Given)(input);
        },
      ]),
    ) as Script;
    queued = await begun("cancelled-queued");
    await rig.engine.cancel(queued);
    await rig.work(script, { sweep: (_, control) => sweeping(control) });

    silent = await openTemporalRig(temporal ?? "");
    stopSilent = await workSilently(silent);
  });
  afterAll(async () => {
    await stopSilent();
    await Promise.all([rig.close(), silent.close()]);
  });

  /** Writes the history down where that is asked for, and sees that today's code fits it. */
  const keep = async (name: string, workflowId: string, from = rig): Promise<void> => {
    const history = await from.client.workflow.getHandle(workflowId).fetchHistory();
    const json = JSON.parse(historyToJSON(history)) as unknown;
    await Worker.runReplayHistory({ workflowBundle: from.bundle }, json, workflowId);
    if (!recording) return;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ workflowId, history: json })}\n`);
  };
  const begun = async (name: string, from = rig): Promise<RunRecord> => {
    const run = await openFirstRun(from.catalog, `/history/${name}`);
    await from.engine.start(run);
    return run;
  };
  const ended = async (run: RunRecord, from = rig): Promise<{ status: string; outcome: unknown }> => {
    const handle = from.client.workflow.getHandle(libraryWorkflowId(run));
    await handle.result().catch(() => {});
    const { status, memo } = await handle.describe();
    return { status: status.name, outcome: memo?.["outcome"] };
  };

  it.concurrent.each(Object.entries(endings))(
    "fit the code where a run ends: %s",
    async (name, { status, outcome }) => {
      const run = await begun(name);
      expect(await ended(run)).toEqual({ status, outcome });
      await keep(name, libraryWorkflowId(run));
    },
  );

  it.concurrent.each(Object.values(phases))("fit the code where a run is cancelled while %s", async (phase) => {
    const run = await begun(`cancelled-${phase}`);
    await expect.poll(async () => (await rig.catalog.runs.get(run.runId))?.phase, { timeout: 20_000 }).toBe(phase);
    await rig.engine.cancel(run);
    expect(await ended(run)).toEqual({ status: "CANCELLED", outcome: "cancelled" });
    await keep(`cancelled-${phase}`, libraryWorkflowId(run));
  });

  it.concurrent("fit the code where a run is cancelled before anything was executed", async () => {
    expect(await ended(queued)).toEqual({ status: "CANCELLED", outcome: "cancelled" });
    await keep("cancelled-queued", libraryWorkflowId(queued));
  });

  it.concurrent("fit the code where a held generation is published", async () => {
    const run = await openFirstRun(rig.catalog, "/history/published-held", "publish");
    await rig.engine.start({ ...run, generation: "run-0" });
    expect(await ended(run)).toEqual({ status: "COMPLETED", outcome: "published" });
    await keep("published-held", libraryWorkflowId(run));
  });

  it.concurrent("fit the code where a worker is lost and another one goes on", async () => {
    const run = await begun("worker-lost", silent);
    expect(await ended(run, silent)).toEqual({ status: "COMPLETED", outcome: "published" });
    await keep("worker-lost", libraryWorkflowId(run), silent);
  });

  // It takes three times as long as a worker may be silent.
  it.skipIf(!recording)("fit the code where every worker is lost", async () => {
    const run = await begun("failed-workers-lost", silent);
    expect(await ended(run, silent)).toEqual({ status: "FAILED", outcome: "failed" });
    expect(await silent.catalog.runs.get(run.runId)).toMatchObject({ failure: { code: "run_interrupted" } });
    await keep("failed-workers-lost", libraryWorkflowId(run), silent);
  });

  it("fit the code where the Schedule's sweep ends, and where one fails or is cancelled", async () => {
    const sweepOf = async (name: string, workflowId: string): Promise<string> => {
      const handle = rig.client.workflow.getHandle(workflowId);
      await handle.result().catch(() => {});
      await keep(name, workflowId);
      return (await handle.describe()).status.name;
    };
    const start = (workflowId: string) =>
      rig.client.workflow.start("sweep", { workflowId, taskQueue: "lectern-main", args: [{ everySeconds: 60 }] });
    await rig.client.schedule.getHandle(sweepSchedule).trigger();
    const found = await scheduledSweep(rig);
    expect(await sweepOf("sweep", found)).toBe("COMPLETED");

    sweeping = fails("search_failed", "The catalog is away.");
    await start("sweep-to-fail");
    expect(await sweepOf("sweep-failed", "sweep-to-fail")).toBe("FAILED");

    sweeping = (control) => untilStopped(control);
    const cancelled = await start("sweep-to-cancel");
    await expect
      .poll(async () => (await cancelled.describe()).raw.pendingActivities?.[0]?.attempt, { timeout: 10_000 })
      .toBe(1);
    // Begun by the worker, not only waiting for one.
    await expect
      .poll(async () => (await cancelled.describe()).raw.pendingActivities?.[0]?.lastStartedTime, { timeout: 10_000 })
      .toBeTruthy();
    await cancelled.cancel();
    expect(await sweepOf("sweep-cancelled", "sweep-to-cancel")).toBe("CANCELLED");
  });

  it.runIf(recording)("name nothing of this machine", async () => {
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), "utf8");
      expect(text).not.toContain(hostname());
      expect(text).not.toContain(join(import.meta.dirname, "..", ".."));
    }
  });
});

type Step = (context: StepControl, input: unknown) => Promise<unknown>;
type Given = (input: unknown) => Promise<unknown>;

/** Workers that never come back to the server with `load` the first time, and with `resolve` of /history/failed-workers-lost ever. */
async function workSilently(rig: TemporalRig): Promise<() => Promise<void>> {
  const activities = createTemporalActivities({
    catalog: rig.catalog,
    activities: scriptedActivities(rig.catalog, {}),
    sweep: async () => ({}),
    slots: { main: 1, git: 1, crawl: 1, browser: 1, load: 1 },
    log: pino({ level: "silent" }),
    now: Date.now,
  }) as Record<string, Given>;
  let loads = 0;
  const forgetful = {
    ...activities,
    async load(input: unknown) {
      loads += 1;
      if (loads === 1) throw new CompleteAsyncError();
      return activities["load"]?.(input);
    },
    async resolve(input: { request: { libraryId: string } }) {
      if (input.request.libraryId === "/history/failed-workers-lost") throw new CompleteAsyncError();
      return activities["resolve"]?.(input);
    },
  };
  const workers = await Promise.all(
    queues.map((queue) =>
      Worker.create({
        connection: rig.native,
        namespace: rig.namespace,
        taskQueue: taskQueue(queue),
        activities: forgetful,
        identity: "lectern-worker",
        ...(queue === "main" && { workflowBundle: rig.bundle }),
      }),
    ),
  );
  const running = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  };
}

async function scheduledSweep(rig: TemporalRig): Promise<string> {
  for (;;) {
    for await (const { workflowId } of rig.client.workflow.list({ query: 'WorkflowType = "sweep"' })) return workflowId;
    await sleep(100);
  }
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorkflowCode, Worker } from "@temporalio/worker";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorkflows } from "../../workers/temporal-bundle.ts";
import { installRuntime, toTemporalLogger } from "../../workers/temporal-runtime.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** Histories of real runs on a real server; `RECORD_HISTORIES=1 npm run test:cluster` records them anew. */
const folder = join(import.meta.dirname, "..", "fixtures", "histories");
const names = (await readdir(folder)).map((file) => file.replace(/\.json$/, ""));
const log = pino({ level: "silent" });

async function recorded(name: string): Promise<{ workflowId: string; history: { events: object[] } }> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as {
    workflowId: string;
    history: { events: object[] };
  };
}

describe("the workflows", () => {
  let bundle: { codePath: string };
  let cleanup: () => PromiseLike<void>;
  beforeAll(async () => {
    installRuntime(log);
    const temporary = await temporaryFolder();
    cleanup = () => temporary[Symbol.asyncDispose]();
    bundle = await bundleWorkflows({ folder: temporary.path, log });
  }, 60_000);
  afterAll(() => cleanup());

  it("are recorded in every way that a run and a sweep can end", () => {
    const ended = "published published-held unchanged-revision unchanged-content held superseded";
    const failed = "source verdict after-attempts unexpectedly timeout unconcluded workers-lost";
    const disturbed = "worker-lost retried-step waited-through-outage";
    const cancelled = "queued resolving collecting assessing loading publishing announcing retiring";
    const all = [
      ended.split(" "),
      failed.split(" ").map((why) => `failed-${why}`),
      disturbed.split(" "),
      cancelled.split(" ").map((phase) => `cancelled-${phase}`),
      ["sweep", "sweep-failed", "sweep-cancelled"],
    ];
    expect(names.toSorted()).toEqual(all.flat().toSorted());
  });

  it.each(names)("go on as they did where a worker takes over: %s", async (name) => {
    const { workflowId, history } = await recorded(name);
    await expect(Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId)).resolves.toBeUndefined();
  });

  it("do not fit any history once their steps come in another order", async () => {
    const changed = await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, "other-order.ts"),
      logger: toTemporalLogger(log),
    });
    for (const name of names.filter((each) => !each.startsWith("sweep"))) {
      const { workflowId, history } = await recorded(name);
      await expect(Worker.runReplayHistory({ workflowBundle: changed }, history, workflowId)).rejects.toMatchObject({
        name: "DeterminismViolationError",
      });
    }
  });
});

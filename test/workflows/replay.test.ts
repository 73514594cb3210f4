import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorkflowCode, Worker, type ReplayResult, type WorkflowBundleOption } from "@temporalio/worker";
import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleWorkflows } from "../../workers/temporal-bundle.ts";
import { installRuntime, toTemporalLogger } from "../../workers/temporal-worker.ts";

/** Histories of real runs on a real server; `RECORD_HISTORIES=1 npm run test:cluster` records them anew. */
const folder = join(import.meta.dirname, "..", "fixtures", "histories");
const names = (await readdir(folder)).map((file) => file.replace(/\.json$/, ""));
const log = pino({ level: "silent" });
/** The cache of bundles, one per version of the code, that `npm run cluster` uses too. */
const bundles = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "lectern");

/** The result of each history, replayed by one worker: "as recorded", or the name of the error. */
async function replay(
  workflowBundle: WorkflowBundleOption,
  wanted: readonly string[],
): Promise<Record<string, string>> {
  const histories = await Promise.all(wanted.map(recorded));
  const results = await Array.fromAsync(Worker.runReplayHistories({ workflowBundle }, histories));
  return Object.fromEntries(wanted.map((name, at) => [name, endOf(results[at])]));
}

function endOf(result: ReplayResult | undefined): string {
  return result === undefined ? "not replayed" : (result.error?.name ?? "as recorded");
}

async function recorded(name: string): Promise<{ workflowId: string; history: { events: object[] } }> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as {
    workflowId: string;
    history: { events: object[] };
  };
}

describe("the workflows", () => {
  let ends: Record<string, string>;
  beforeAll(async () => {
    installRuntime(log);
    ends = await replay(await bundleWorkflows({ folder: bundles, log }), names);
  });

  it("are recorded in every way that a run and a sweep can end", () => {
    const ended = "published published-held unchanged-revision unchanged-content held superseded";
    const failed = "source verdict after-attempts unexpectedly timeout unconcluded workers-lost";
    const disturbed = "worker-lost retried-step waited-through-outage waited-for-its-turn";
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

  it.each(names)("continue as recorded when another worker takes over: %s", (name) => {
    expect(ends[name]).toBe("as recorded");
  });

  it("fit no history with their steps in another order", async () => {
    const changed = await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, "other-order.ts"),
      logger: toTemporalLogger(log),
    });
    const indexing = names.filter((name) => !name.startsWith("sweep"));
    expect(await replay(changed, indexing)).toEqual(
      Object.fromEntries(indexing.map((name) => [name, "DeterminismViolationError"])),
    );
  });
});

import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { pino, type Logger } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { Catalog, RunRecord } from "../../domain/ports.ts";
import type { StepName } from "../../domain/steps.ts";
import { createTemporalActivities } from "../../workers/temporal-activities.ts";
import { openFirstRun, scriptedActivities, untilStopped, type Script } from "../contracts/indexing-scripts.ts";
import { activityEnvironment as mock } from "../support/activity-environment.ts";
import { gitSpec } from "../support/git-spec.ts";
import { catalogOfTest } from "../support/of-test.ts";

describe("a step as Temporal's activity", () => {
  let catalog: Catalog;
  let run: RunRecord;
  let logged: string;
  beforeEach(async () => {
    ({ catalog } = await catalogOfTest());
    run = await openFirstRun(catalog, "/a/b");
    logged = "";
  });

  const log = (): Logger => pino({ level: "info" }, { write: (line: string) => void (logged += line) });
  const activity = (name: StepName | "sweep", script: Script, sweep = async () => ({})) => {
    const activities = createTemporalActivities({
      catalog,
      activities: scriptedActivities(catalog, script),
      sweep,
      slots: { main: 20, git: 4, crawl: 16, browser: 1, load: 8 },
      log: log(),
      now: Date.now,
    }) as Record<string, (input: unknown) => Promise<unknown>>;
    return (environment = mock(), request = run) =>
      environment.run(activities[name] ?? (async () => undefined), { request, thorough: false });
  };

  it("returns the result of the step, and records its phase", async () => {
    expect(await activity("load", {})()).toEqual({ snippets: 1 });
    expect(await catalog.runs.get(run.runId)).toMatchObject({ phase: "loading" });
  });

  it("sends heartbeats with its progress", async () => {
    const environment = mock();
    const running = activity("load", {
      load: async ({ report }) => {
        report({ snippets: 5 });
        await new Promise((resolve) => setTimeout(resolve, 1200));
        return { snippets: 5 };
      },
    })(environment);
    await running;
    expect(environment.beats).toEqual([{ snippets: 5 }]);
    expect((await catalog.runs.get(run.runId))?.progress).toEqual({ snippets: 5 });
  });

  it("keeps the figures of the steps before it, whichever worker executed them", async () => {
    await activity("collect", {
      collect: async ({ report }) => {
        report({ pagesDone: 3, pagesKnown: 3, snippets: 8 });
        return { generation: run.runId, contentHash: "1", revision: "1", counts: {} };
      },
    } as Script)();
    await activity("load", {
      load: async ({ report }) => {
        report({ loaded: 5 });
        return { snippets: 5 };
      },
    })();
    const expected = { pagesDone: 3, pagesKnown: 3, snippets: 8, loaded: 5 };
    expect((await catalog.runs.get(run.runId))?.progress).toEqual(expected);
  });

  it("sends no heartbeat where the step is done within a second", async () => {
    const environment = mock();
    await activity("load", {})(environment);
    expect(environment.beats).toEqual([]);
  });

  it.each([
    ["source_not_found", true, "BENIGN"],
    ["search_failed", false, undefined],
    ["timeout", true, undefined],
    ["source_unreachable", false, "BENIGN"],
  ] as const)("fails with the code %s as its type", async (code, nonRetryable, category) => {
    const failure = await activity("resolve", {
      resolve: async () => {
        throw new Failure(code, "A sentence that says what to do.", { retryAfter: 7 });
      },
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: code,
      message: "A sentence that says what to do.",
      nonRetryable,
      nextRetryDelay: 7000,
      details: [{ retryAfter: 7 }],
    });
    expect((failure as ApplicationFailure).category ?? undefined).toBe(category);
  });

  it("keeps the details of an unexpected error in the log", async () => {
    const failure = await activity("resolve", {
      resolve: async () => {
        throw new TypeError("secret inside");
      },
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: "internal_error", nonRetryable: false });
    expect(`${String(failure)}${(failure as Error).stack ?? ""}`).not.toContain("secret");
    expect(logged).toContain("secret inside");
    expect(logged).toContain('"step":"resolve"');
  });

  it("stops and ends as cancelled where the run is cancelled", async () => {
    const environment = mock();
    let stopped = false;
    const running = activity("collect", {
      collect: (context) => untilStopped(context).finally(() => (stopped = true)),
    })(environment);
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(stopped).toBe(true);
  });

  it("leaves a slot to other hosts, and fails with host_busy where no slot is free", async () => {
    const [a, b] = [gitSpec("https://a.example/a/b"), gitSpec("https://b.example/a/b")];
    const runs = await Promise.all([1, 2, 3, 4].map((number) => openFirstRun(catalog, `/a/${number}`, "submit", a)));
    const other = await openFirstRun(catalog, "/b/1", "submit", b);
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const collect = activity("collect", {
      collect: async (_, { request }) => {
        begun.push(request.libraryId);
        await gate.promise;
        return request.libraryId;
      },
    });
    const started = runs.slice(0, 3).map((each) => collect(mock(), each));
    const fourth = (): Promise<unknown> => collect(mock(), runs[3]);
    await expect.poll(() => begun).toHaveLength(3);
    await expect(fourth()).rejects.toMatchObject({ type: "host_busy", nonRetryable: true });
    started.push(collect(mock(), other));
    // Folders, and runs that only load a generation, use no host.
    started.push(collect(mock(), run), collect(mock(), { ...(runs[3] ?? run), generation: "g" }));
    await expect.poll(() => begun).toHaveLength(6);
    gate.resolve();
    await Promise.all(started);
    expect(await fourth()).toBe("/a/4");
    expect(logged).toBe("");
  });

  it("returns the result of the sweep, or its failure", async () => {
    expect(await activity("sweep", {}, async () => ({ runs: 3 }))()).toEqual({ runs: 3 });
    const broken = activity("sweep", {}, async () => {
      throw new Failure("search_failed", "The catalog is away.");
    });
    await expect(broken()).rejects.toMatchObject({ type: "search_failed" });
  });
});

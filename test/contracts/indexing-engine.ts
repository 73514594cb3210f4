import { describe, expect, it, onTestFinished } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { Catalog, Indexing, RunRecord } from "../../domain/ports.ts";
import type { StepName } from "../../domain/steps.ts";
import { closedRun, openFirstRun, sampleCounts, untilStopped, type Script } from "./indexing-scripts.ts";

/** An engine that executes the script, on an empty catalog. */
export interface OpenedEngine {
  readonly catalog: Catalog;
  readonly engine: Indexing;
  /** The steps that were begun, in order. */
  readonly called: readonly StepName[];
  cleanup(): Promise<void>;
}

/** What every engine must do. One test file per adapter calls this. */
export function describeIndexing(name: string, open: (script: Script) => Promise<OpenedEngine>): void {
  describe(`${name} as Indexing`, () => {
    const opened = async (script: Script): Promise<OpenedEngine> => {
      const one = await open(script);
      onTestFinished(() => one.cleanup());
      return one;
    };
    const started = async (
      script: Script,
      id = "/a/b",
    ): Promise<OpenedEngine & { run: RunRecord; closed(): Promise<RunRecord> }> => {
      const one = await opened(script);
      const run = await openFirstRun(one.catalog, id);
      await one.engine.start(run);
      return { ...one, run, closed: () => closedRun(one.catalog, run.runId) };
    };

    it("executes a run to its end and closes it", async () => {
      const { called, closed } = await started({});
      expect(await closed()).toMatchObject({ outcome: "published", failure: null });
      expect(called).toEqual([
        "resolve",
        "collect",
        "assess",
        "load",
        "publish",
        "announce",
        "retire",
        "conclude",
      ] satisfies StepName[]);
    });

    it("begins a run once, however often it is started", async () => {
      const { engine, run, called, closed } = await started({});
      await engine.start(run);
      await engine.start(run);
      await closed();
      await engine.start(run);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(called.filter((step) => step === "resolve")).toHaveLength(1);
    });

    it("executes one run of a library after the other", async () => {
      const { catalog, engine, run, closed } = await started({});
      await closed();
      const next = await catalog.runs.open(
        run.libraryUid,
        "",
        { runId: `${run.runId}-again`, reason: "refresh", priority: 10 },
        Date.now(),
      );
      if (!next) throw new Error("The library is gone.");
      await engine.start(next.run);
      expect(await closedRun(catalog, next.run.runId)).toMatchObject({ outcome: "published" });
    });

    it.each([
      ["unchanged", { resolve: async () => ({ unchanged: true, revision: "c", ref: null, location: "", live: null }) }],
      ["held", { assess: async () => ({ verdict: "hold" }) }],
      ["superseded", { publish: async () => ({ published: false }) }],
    ] satisfies [string, Script][])("closes a run as %s where its steps say so", async (outcome, script) => {
      const { closed } = await started(script);
      expect(await closed()).toMatchObject({ outcome, failure: null });
    });

    it("fails a run with the failure of its step, without retrying if that cannot help", async () => {
      const { called, closed } = await started({
        collect: async () => {
          throw new Failure("source_not_found", "It is gone.");
        },
      });
      expect(await closed()).toMatchObject({
        outcome: "failed",
        failure: { code: "source_not_found", message: "It is gone." },
      });
      expect(called).toEqual(["resolve", "collect", "conclude"]);
    });

    it("collects on the queue and within the time that the kind of source asks for", async () => {
      const { closed } = await started({
        resolve: async () => ({
          unchanged: false,
          revision: "c1",
          ref: null,
          location: "",
          live: null,
          work: { queue: "browser", timeout: 300 },
        }),
        collect: untilStopped,
      });
      expect(await closed()).toMatchObject({
        outcome: "failed",
        failure: { code: "timeout", message: expect.stringContaining("took longer than 0.3 s") as unknown },
      });
    });

    it("executes other runs while crawls go on", async () => {
      const { catalog, engine } = await opened({
        resolve: async (_, { request }) => ({
          unchanged: false,
          revision: "c1",
          ref: null,
          location: "",
          live: null,
          ...(request.libraryId.startsWith("/crawled") && { work: { queue: "crawl", timeout: 60_000 } }),
        }),
        collect: async (context, { request }) =>
          request.libraryId.startsWith("/crawled")
            ? untilStopped(context)
            : { generation: request.runId, contentHash: "h", revision: "c1", counts: sampleCounts },
      });
      const ids = ["/crawled/a", "/crawled/b", "/crawled/c", "/crawled/d"];
      for (const id of ids) await engine.start(await openFirstRun(catalog, id));
      const run = await openFirstRun(catalog, "/a/b");
      await engine.start(run);
      expect(await closedRun(catalog, run.runId)).toMatchObject({ outcome: "published" });
    });

    it("reads pages that need a browser in a step of their own", async () => {
      const collected = { generation: "g", contentHash: "h", revision: "c1", counts: sampleCounts };
      const { called, closed } = await started({
        collect: async (_, { request }) => ({ ...collected, generation: request.runId, unrendered: 2 }),
        render: async (_, { request, resolved }) => ({
          ...collected,
          generation: request.runId,
          revision: resolved.revision,
        }),
      });
      expect(await closed()).toMatchObject({ outcome: "published", failure: null });
      expect(called.slice(0, 4)).toEqual(["resolve", "collect", "render", "assess"] satisfies StepName[]);
    });

    it("retries a step if that can help", async () => {
      let attempts = 0;
      const { closed } = await started({
        load: async () => {
          attempts += 1;
          if (attempts < 2) throw new Failure("source_unreachable", "It is away. Try again.");
          return { snippets: 1 };
        },
      });
      expect(await closed()).toMatchObject({ outcome: "published" });
      expect(attempts).toBe(2);
    });

    it("reports the attempt and why the previous one failed, and lowers no figure", async () => {
      let attempts = 0;
      const { catalog, engine, run, closed } = await started({
        collect: async (context) => {
          attempts += 1;
          if (attempts > 1) {
            context.report({ pagesDone: 2, pagesKnown: 9, answers: { "200": 2 } });
            return untilStopped(context);
          }
          context.report({ pagesDone: 1, pagesKnown: 9, answers: { "200": 1 } });
          context.report({ pagesDone: 7, pagesKnown: 9, answers: { "200": 6, none: 1 } });
          throw new Failure("source_unreachable", "It is away. Try again.");
        },
      });
      const seen: (number | undefined)[] = [];
      await expect
        .poll(async () => {
          const now = await catalog.runs.get(run.runId);
          seen.push(now?.progress.pagesDone);
          return now;
        })
        .toMatchObject({
          attempt: 2,
          lastFailure: { code: "source_unreachable", message: "It is away. Try again." },
          progressAt: expect.any(Number) as unknown,
        });
      expect(attempts).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await catalog.runs.get(run.runId)).toMatchObject({
        phase: "collecting",
        progress: { pagesDone: 7, pagesKnown: 9, answers: { "200": 6, none: 1 } },
      });
      const known = seen.filter((pages) => pages !== undefined);
      expect(known).toEqual(known.toSorted((one, other) => one - other));
      await engine.cancel(run);
      await closed();
    });

    it("does not show the message of an unexpected error", async () => {
      const { closed } = await started({
        resolve: async () => {
          throw new TypeError("secret inside");
        },
      });
      const run = await closed();
      expect(run).toMatchObject({ outcome: "failed", failure: { code: "internal_error" } });
      expect(JSON.stringify(run)).not.toContain("secret");
    });

    it("writes phase and progress down while a step is under way", async () => {
      const { catalog, engine, run, closed } = await started({
        collect: (context) => {
          context.report({ pagesDone: 3, pagesKnown: 9, snippets: 12, bytes: 345 });
          return untilStopped(context);
        },
      });
      await expect
        .poll(async () => await catalog.runs.get(run.runId))
        .toMatchObject({ phase: "collecting", progress: { pagesDone: 3, pagesKnown: 9, snippets: 12, bytes: 345 } });
      expect((await catalog.runs.get(run.runId))?.startedAt).toBeTypeOf("number");
      await engine.cancel(run);
      await closed();
    });

    it.each(["resolve", "collect", "assess", "load", "publish", "announce", "retire"] as const)(
      "cancels a run in the step %s within seconds, and closes it",
      async (step) => {
        let stoppedAfter = Infinity;
        let cancelledAt = 0;
        const { engine, run, called, closed } = await started({
          [step]: (context: Parameters<typeof untilStopped>[0]) =>
            untilStopped(context).finally(() => (stoppedAfter = performance.now() - cancelledAt)),
        });
        await expect.poll(() => called.at(-1)).toBe(step);
        cancelledAt = performance.now();
        await engine.cancel(run);
        expect(await closed()).toMatchObject({ outcome: "cancelled", failure: { code: "run_cancelled" } });
        expect(stoppedAfter).toBeLessThan(8000);
        expect(called.at(-1)).toBe("conclude");
      },
    );

    it("closes a run that is cancelled before it was started", async () => {
      const one = await opened({});
      const run = await openFirstRun(one.catalog, "/a/b");
      await one.engine.cancel(run);
      expect(await one.catalog.runs.get(run.runId)).toMatchObject({
        state: "closed",
        outcome: "cancelled",
        failure: { code: "run_cancelled" },
      });
      expect(one.called).toEqual([]);
    });

    it("is ready while it takes runs", async () => {
      const one = await opened({});
      await expect(one.engine.ready()).resolves.toBeUndefined();
    });
  });
}

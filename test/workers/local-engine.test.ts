import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Catalog, RunRecord } from "../../domain/ports.ts";
import type { StepName } from "../../domain/steps.ts";
import { createLocalEngine, type LocalEngine } from "../../workers/local-engine.ts";
import {
  openFirstRun,
  sampleCounts as counts,
  scriptedActivities,
  untilStopped,
  type Script,
} from "../contracts/indexing-scripts.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { endurance } from "../support/endurance.ts";

/** A real catalog, and engines over it with scripted steps. */
async function setup(): Promise<{
  catalog: Catalog;
  called: StepName[];
  engine(script?: Script, runsAtOnce?: number): LocalEngine;
  submit(id: string): Promise<RunRecord>;
}> {
  const { catalog } = await catalogOfTest();
  const called: StepName[] = [];
  let made = 0;
  const engine = (script: Script = {}, runsAtOnce = 2): LocalEngine => {
    const created = createLocalEngine({
      catalog,
      owner: `engine-${(made += 1)}`,
      runsAtOnce,
      log: pino({ level: "silent" }),
      now: Date.now,
      activities: scriptedActivities(catalog, script, (name) => called.push(name)),
    });
    onTestFinished(() => created.close());
    return created;
  };
  return { catalog, called, engine, submit: (id) => openFirstRun(catalog, id) };
}

describe("the in-process engine", () => {
  it("executes every run that is submitted, no more than allowed at once", async () => {
    const { catalog, engine, submit } = await setup();
    let running = 0;
    let most = 0;
    const local = engine({
      collect: async (_, { request }) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 10));
        running -= 1;
        return { generation: request.runId, contentHash: "h", revision: "c1", counts };
      },
    });
    await local.open();
    const runs = await Promise.all(["/a/1", "/a/2", "/a/3", "/a/4", "/a/5"].map(submit));
    for (const run of runs) await local.start(run);
    await local.idle();
    for (const { runId } of runs)
      expect(await catalog.runs.get(runId)).toMatchObject({ state: "closed", outcome: "published" });
    expect(most).toBe(2);
  });

  it("resumes after an interruption with the step that was under way, and repeats no finished one", async () => {
    const { catalog, called, engine, submit } = await setup();
    const first = engine({ load: untilStopped });
    await first.open();
    const run = await submit("/a/b");
    await first.start(run);
    await expect.poll(() => called.at(-1)).toBe("load");
    await first.close();
    expect(await catalog.runs.get(run.runId)).toMatchObject({ state: "open" });

    const before = called.length;
    const second = engine();
    await second.open();
    await second.idle();
    expect(called.slice(before)).toEqual(["load", "publish", "announce", "retire", "conclude"]);
    expect(await catalog.runs.get(run.runId)).toMatchObject({ outcome: "published" });
  });

  it("cancels a waiting run without executing any step of it", async () => {
    const { catalog, called, engine, submit } = await setup();
    const local = engine({ resolve: untilStopped }, 1);
    await local.open();
    const [first, waiting] = [await submit("/a/1"), await submit("/a/2")];
    await local.start(first);
    await expect.poll(() => called).toEqual(["resolve"]);
    await local.start(waiting);
    await local.cancel(waiting);
    expect(await catalog.runs.get(waiting.runId)).toMatchObject({ outcome: "cancelled" });
    expect(called).toEqual(["resolve"]);
  });

  it("resumes a run after any number of stops, and counts none of them as an attempt", async () => {
    const { catalog, called, engine, submit } = await setup();
    const run = await submit("/a/patient");
    for (let life = 0; life < 12; life += 1) {
      const local = engine({ collect: untilStopped });
      const before = called.length;
      await local.open();
      await expect.poll(() => called.length).toBeGreaterThan(before);
      await local.close();
    }
    expect(await catalog.runs.get(run.runId)).toMatchObject({ state: "open", failure: null, attempt: 1 });
    const last = engine();
    await last.open();
    await last.idle();
    expect(await catalog.runs.get(run.runId)).toMatchObject({ outcome: "published", attempt: 1 });
  });

  it("counts no death of a process that was told to stop and ended before its steps", async () => {
    const { catalog, called, engine, submit } = await setup();
    const run = await submit("/a/slow");
    const ignored = Promise.withResolvers<void>();
    for (let life = 0; life < 4; life += 1) {
      const local = engine({ collect: () => ignored.promise as Promise<never> });
      const before = called.length;
      await local.open();
      await expect.poll(() => called.slice(before)).toContain("collect");
      void local.close();
      await expect.poll(() => catalog.runs.waiting(Date.now())).toHaveLength(1);
    }
    const last = engine();
    await last.open();
    await last.idle();
    expect(await catalog.runs.get(run.runId)).toMatchObject({ outcome: "published", failure: null });
    ignored.reject(new Error("ended"));
  });

  it.runIf(endurance)(
    "keeps a run waiting while the disk is full, beyond the retries of its steps, also for its own journal",
    async () => {
      const { catalog, submit } = await setup();
      const noSpace = (): Error => Object.assign(new Error("full"), { code: "ENOSPC" });
      let [assessments, recordings] = [0, 0];
      const full: Catalog = {
        ...catalog,
        runs: {
          ...catalog.runs,
          record: async (...args) => {
            if ((recordings += 1) === 1) throw noSpace();
            await catalog.runs.record(...args);
          },
        },
      };
      const local = createLocalEngine({
        catalog: full,
        owner: "engine",
        runsAtOnce: 2,
        log: pino({ level: "silent" }),
        now: Date.now,
        activities: scriptedActivities(catalog, {
          async assess() {
            if ((assessments += 1) <= 3) throw noSpace();
            return { verdict: "publish" };
          },
        }),
      });
      onTestFinished(() => local.close());
      await local.open();
      const run = await submit("/a/b");
      await local.start(run);
      await local.idle();
      expect(await catalog.runs.get(run.runId)).toMatchObject({ outcome: "published", failure: null });
      expect(assessments).toBe(4);
    },
  );

  it("stops at once while the end of a run cannot be recorded, and records it after the next start", async () => {
    const { catalog, engine, submit } = await setup();
    let ends = 0;
    const first = engine({
      conclude: async () => {
        ends += 1;
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    });
    await first.open();
    const run = await submit("/a/b");
    await first.start(run);
    await expect.poll(() => ends).toBe(1);
    const since = Date.now();
    await first.close();
    expect(Date.now() - since).toBeLessThan(900);
    expect(await catalog.runs.get(run.runId)).toMatchObject({ state: "open" });
    const second = engine();
    await second.open();
    await second.idle();
    expect(await catalog.runs.get(run.runId)).toMatchObject({ outcome: "published" });
  });

  it("takes no run when it is stopping", async () => {
    const { engine, submit } = await setup();
    const local = engine();
    await local.open();
    await local.close();
    await expect(local.start(await submit("/a/b"))).rejects.toMatchObject({ code: "service_unavailable" });
    await expect(local.ready()).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("stops a run that it claimed while it was being cancelled", async () => {
    const { catalog, submit } = await setup();
    const [first, second] = [await submit("/a/1"), await submit("/a/2")];
    const [ending, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Catalog = {
      ...catalog,
      runs: { ...catalog.runs, close: (...args) => closing.promise.then(() => catalog.runs.close(...args)) },
    };
    const stopped: string[] = [];
    const resolved: string[] = [];
    const local = createLocalEngine({
      catalog: slow,
      owner: "engine",
      runsAtOnce: 1,
      log: pino({ level: "silent" }),
      now: Date.now,
      activities: scriptedActivities(catalog, {
        async resolve(context, { request }) {
          resolved.push(request.libraryId);
          if (request.libraryId === "/a/1") await ending.promise;
          else await untilStopped(context).finally(() => stopped.push(request.libraryId));
          return { unchanged: true, revision: "c1", ref: null, location: "", live: null };
        },
      }),
    });
    onTestFinished(() => local.close());
    await local.open();
    await expect.poll(() => resolved).toEqual(["/a/1"]);
    const cancelled = local.cancel(second);
    ending.resolve();
    await expect.poll(() => resolved).toEqual(["/a/1", "/a/2"]);
    closing.resolve();
    await cancelled;
    await expect.poll(() => stopped).toEqual(["/a/2"]);
    await local.idle();
    expect(await catalog.runs.get(first.runId)).toMatchObject({ outcome: "unchanged" });
    expect(await catalog.runs.get(second.runId)).toMatchObject({ outcome: "cancelled" });
  });

  it("executes a run once, also where the machine was suspended for longer than a lease lasts", async () => {
    const { catalog, submit } = await setup();
    const resolved: string[] = [];
    const going = Promise.withResolvers<void>();
    let later = 0;
    const local = createLocalEngine({
      catalog,
      owner: "engine",
      runsAtOnce: 3,
      log: pino({ level: "silent" }),
      now: () => Date.now() + later,
      activities: scriptedActivities(catalog, {
        async resolve(_, { request }) {
          resolved.push(request.libraryId);
          if (request.libraryId === "/a/1") await going.promise;
          return { unchanged: true, revision: "c1", ref: null, location: "", live: null };
        },
      }),
    });
    onTestFinished(() => local.close());
    await local.open();
    const first = await submit("/a/1");
    await local.start(first);
    await expect.poll(() => resolved).toEqual(["/a/1"]);
    later = 3_600_000;
    const second = await submit("/a/2");
    await local.start(second);
    await expect.poll(async () => (await catalog.runs.get(second.runId))?.state).toBe("closed");
    going.resolve();
    await local.idle();
    expect(resolved).toEqual(["/a/1", "/a/2"]);
    expect(await catalog.runs.get(first.runId)).toMatchObject({ outcome: "unchanged" });
  });
});

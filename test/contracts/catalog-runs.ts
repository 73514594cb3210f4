import { beforeEach, describe, expect, it } from "vitest";
import {
  addLibrary,
  defaultVersion,
  publishGeneration,
  sampleGeneration,
  sampleLibrary,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

/** The part of the Catalog contract that concerns runs. */
export function describeRuns(catalog: CurrentCatalog): void {
  describe("runs", () => {
    beforeEach(async () => {
      await addLibrary(catalog(), "a");
    });

    it("joins the open run of a version, at the higher priority", async () => {
      await publishGeneration(catalog(), "a", 1);
      const first = await catalog().runs.open("a", "", sampleRun("r1", { reason: "sweep", priority: 0 }), 2000);
      expect(first).toMatchObject({ joined: false, run: { runId: "r1", priority: 0, createdAt: 2000 } });
      const second = await catalog().runs.open("a", "", sampleRun("r2", { priority: 10 }), 3000);
      expect(second).toMatchObject({ joined: true, run: { runId: "r1", reason: "sweep", priority: 10 } });
      const third = await catalog().runs.open("a", "", sampleRun("r3", { priority: 5 }), 3000);
      expect(third).toMatchObject({ joined: true, run: { runId: "r1", priority: 10 } });
      expect(await catalog().runs.get("r2")).toBeUndefined();
    });

    it("lets versions of a library run side by side", async () => {
      await catalog().libraries.addVersion("a", "v1", "v1");
      const opened = await catalog().runs.open("a", "v1", sampleRun("r1", { generation: "g0" }), 2000);
      expect(opened).toMatchObject({ joined: false, run: { version: "v1", generation: "g0" } });
      expect((await catalog().runs.openRuns()).map(({ runId }) => runId)).toEqual(["a-1", "r1"]);
    });

    it("opens no run where library or version is missing", async () => {
      expect(await catalog().runs.open("a", "v9", sampleRun("r1"), 2000)).toBeUndefined();
      expect(await catalog().runs.open("gone", "", sampleRun("r1"), 2000)).toBeUndefined();
      expect(await catalog().runs.get("r1")).toBeUndefined();
    });

    it("writes phase, progress and start of a run while it is open", async () => {
      await catalog().runs.report("a-1", { phase: "collecting" }, 1100);
      await catalog().runs.report("a-1", { progress: { pagesDone: 2, pagesKnown: 9 } }, 1200);
      await catalog().runs.report("a-1", { progress: { pagesDone: 3 } }, 1200);
      await catalog().runs.report("a-1", {}, 1300);
      const expected = { phase: "collecting", progress: { pagesDone: 3, pagesKnown: 9 }, startedAt: 1100 };
      expect(await catalog().runs.get("a-1")).toMatchObject(expected);
      await catalog().runs.close("a-1", { outcome: "cancelled" }, 1500);
      await catalog().runs.report("a-1", { phase: "loading", progress: {} }, 1600);
      expect(await catalog().runs.get("a-1")).toMatchObject({ ...expected, outcome: "cancelled" });
    });

    it("lowers no figure when a step starts again, and keeps the time of the last progress and the last failure", async () => {
      const answers = { "200": 7, none: 1 };
      await catalog().runs.report(
        "a-1",
        { phase: "collecting", attempt: 1, progress: { pagesDone: 7, answers } },
        1100,
      );
      const failure = { code: "source_unreachable", message: "It is away." } as const;
      await catalog().runs.report("a-1", { attempt: 2, failure }, 1200);
      expect(await catalog().runs.get("a-1")).toMatchObject({ attempt: 2, lastFailure: failure, progressAt: 1100 });
      await catalog().runs.report("a-1", { progress: { pagesDone: 2, answers: { "200": 9, "404": 1 } } }, 1300);
      expect(await catalog().runs.get("a-1")).toMatchObject({
        progress: { pagesDone: 7, answers: { "200": 9, "404": 1, none: 1 } },
        progressAt: 1300,
      });
      await catalog().runs.report("a-1", { phase: "collecting", progress: { pagesDone: 5 } }, 1400);
      expect(await catalog().runs.get("a-1")).toMatchObject({ progress: { pagesDone: 7 }, progressAt: 1300 });
      await catalog().runs.report("a-1", { phase: "assessing", attempt: 1 }, 1500);
      expect(await catalog().runs.get("a-1")).toMatchObject({ attempt: 1, lastFailure: failure, progressAt: 1500 });
      await catalog().runs.open("a", "v9", sampleRun("r9"), 1600);
      await catalog().runs.report("gone", { attempt: 2 }, 1600);
    });

    it("closes a run once", async () => {
      const failure = { code: "no_code_found", message: "Nothing there." } as const;
      await catalog().runs.close("a-1", { outcome: "failed", failure }, 1500);
      const closed = { state: "closed", outcome: "failed", failure, closedAt: 1500 };
      expect(await catalog().runs.get("a-1")).toMatchObject(closed);
      await catalog().runs.open("a", "", sampleRun("a-2"), 1600);
      await catalog().runs.close("a-1", { outcome: "published", revision: "rev-1" }, 1700);
      expect(await catalog().runs.get("a-1")).toMatchObject(closed);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        openRun: { runId: "a-2" },
        lastRun: { runId: "a-1", failure },
        checkedAt: null,
        checkedRevision: null,
      });
      await catalog().runs.close("unknown", { outcome: "failed" }, 1800);
    });

    it("keeps what an unchanged run saw, and not what a failed one did", async () => {
      await publishGeneration(catalog(), "a", 1);
      await catalog().runs.open("a", "", sampleRun("r2"), 2000);
      await catalog().runs.close("r2", { outcome: "unchanged", revision: "rev-2" }, 2500);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ checkedRevision: "rev-2", checkedAt: 2500 });
      await catalog().runs.open("a", "", sampleRun("r3"), 3000);
      await catalog().runs.close("r3", { outcome: "failed", revision: "rev-3" }, 3500);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ checkedRevision: "rev-2", checkedAt: 2500 });
    });

    it("keeps the revision of the followed branch, until something else is read", async () => {
      await publishGeneration(catalog(), "a", 1);
      const check = async (runId: string, end: { revision: string; followedRevision?: string }) => {
        await catalog().runs.open("a", "", sampleRun(runId), 2000);
        await catalog().runs.close(runId, { outcome: "unchanged", ...end }, 2500);
        return defaultVersion(catalog(), "a");
      };
      const followed = { revision: "rev-2", followedRevision: "docs-1" };
      const seen = { checkedRevision: "rev-2", followedRevision: "docs-1" };
      expect(await check("r2", followed)).toMatchObject(seen);
      expect(await check("r3", { revision: "rev-3" })).toMatchObject({
        checkedRevision: "rev-3",
        followedRevision: null,
      });
      expect(await check("r4", followed)).toMatchObject(seen);
      await publishGeneration(catalog(), "a", 5);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ checkedRevision: "rev-5", followedRevision: null });
      expect(await check("r6", followed)).toMatchObject(seen);
      await catalog().generations.rollback("a", "", 3000);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ checkedRevision: null, followedRevision: null });
    });

    it("makes what a closed run staged removable, and takes nothing more from it", async () => {
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      await catalog().runs.close("a-1", { outcome: "cancelled" }, 1500);
      expect(await catalog().generations.removable(1499)).toEqual([]);
      expect(await catalog().generations.removable(1500)).toMatchObject([{ id: "a-1", removeAfter: 1500 }]);
      await catalog().generations.forget("a-1");
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      expect(await catalog().generations.get("a-1")).toBeUndefined();
    });

    it("lists a library's runs, the latest first", async () => {
      await publishGeneration(catalog(), "a", 1);
      await publishGeneration(catalog(), "a", 2);
      await publishGeneration(catalog(), "a", 3);
      expect((await catalog().runs.of("a", 2)).map(({ runId }) => runId)).toEqual(["a-3", "a-2"]);
    });

    it("keeps the newest twenty closed runs of a version, and those of other versions", async () => {
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().runs.open("a", "v1", sampleRun("other"), 1);
      await catalog().runs.close("other", { outcome: "cancelled" }, 2);
      for (let number = 1; number <= 25; number += 1) {
        await catalog().runs.open("a", "", sampleRun(`a-${number}`), number * 1000);
        await catalog().runs.close(`a-${number}`, { outcome: "cancelled" }, number * 1000 + 1);
      }
      await catalog().runs.open("a", "", sampleRun("open"), 26_000);
      const newest = Array.from({ length: 20 }, (_, index) => `a-${25 - index}`);
      expect((await catalog().runs.of("a", 100)).map(({ runId }) => runId)).toEqual(["open", ...newest, "other"]);
      expect(await catalog().runs.get("a-5")).toBeUndefined();
    });

    it("keeps the run that closed last even if a clock dates it before the others", async () => {
      await catalog().runs.close("a-1", { outcome: "cancelled" }, 9000);
      for (let number = 2; number <= 22; number += 1) {
        await catalog().runs.open("a", "", sampleRun(`a-${number}`), 9000);
        await catalog().runs.close(`a-${number}`, { outcome: "cancelled" }, number === 22 ? 5 : 9000);
      }
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ lastRun: { runId: "a-22", closedAt: 5 } });
    });
  });
}

const suspension = { deaths: 2, failure: { code: "run_suspended", message: "It waits." } } as const;

/** The part of the Catalog contract by which the in-process engine goes on after a crash. */
export function describeLeases(catalog: CurrentCatalog): void {
  describe("leases", () => {
    const open = async (runId: string, priority: number, createdAt: number) => {
      const library = sampleLibrary(runId, { id: `/acme/${runId}`, createdAt });
      await catalog().libraries.create(library, null, sampleRun(runId, { priority }));
    };
    const claim = async (owner: string, until: number, now: number) =>
      (await catalog().runs.claim(owner, until, now))?.run.runId;

    it("hands out the run of the highest priority, then the oldest, each once", async () => {
      await open("low", 0, 10);
      await open("late", 10, 30);
      await open("early", 10, 20);
      expect(await claim("me", 500, 100)).toBe("early");
      expect(await claim("you", 500, 100)).toBe("late");
      expect(await claim("me", 500, 100)).toBe("low");
      expect(await claim("me", 500, 100)).toBeUndefined();
      expect(await catalog().runs.get("early")).toMatchObject({ startedAt: 100, state: "open" });
    });

    it("hands a run out again when its lease has run out, and not while it is renewed", async () => {
      await open("one", 0, 10);
      expect(await claim("dead", 500, 100)).toBe("one");
      expect(await claim("me", 900, 499)).toBeUndefined();
      await catalog().runs.renew("dead", 700);
      await catalog().runs.renew("me", 9000);
      expect(await claim("me", 900, 600)).toBeUndefined();
      const again = await catalog().runs.claim("me", 900, 700);
      expect(again).toMatchObject({ run: { runId: "one", startedAt: 100 }, claims: 2 });
    });

    it("drops the leases of all other owners once they are known to be dead", async () => {
      await open("one", 10, 10);
      await open("two", 0, 20);
      await claim("dead", 500, 100);
      await claim("me", 500, 100);
      await catalog().runs.orphan("me", suspension, 10);
      expect(await claim("me", 500, 101)).toBe("one");
      expect(await claim("me", 500, 101)).toBeUndefined();
    });

    it("gives the next owner the journal as last recorded", async () => {
      await open("one", 0, 10);
      expect(await catalog().runs.claim("dead", 500, 100)).toMatchObject({ journal: {}, claims: 1 });
      const journal = { resolve: { revision: "r" } };
      await catalog().runs.record("one", journal);
      expect(await catalog().runs.claim("me", 900, 500)).toMatchObject({ journal, claims: 2 });
      await catalog().runs.record("one", { ...journal, collect: 1 });
      expect((await catalog().runs.claim("me", 999, 900))?.journal).toEqual({ ...journal, collect: 1 });
    });

    it("suspends a run after its owners have died a number of times, until it is resumed", async () => {
      await open("one", 10, 10);
      for (const dead of ["first", "second"]) {
        expect((await catalog().runs.claim(dead, 500, 100))?.turn.suspect).toBe(dead === "second");
        expect(await catalog().runs.get("one")).toMatchObject({ failure: null });
        await catalog().runs.orphan("me", suspension, 10);
      }
      expect(await catalog().runs.waiting(100)).toEqual([]);
      expect(await claim("me", 500, 100)).toBeUndefined();
      expect(await catalog().runs.get("one")).toMatchObject({ state: "open", failure: suspension.failure });
      await catalog().runs.orphan("me", suspension, 10);
      await catalog().runs.resume("one", { forgiven: true });
      expect(await catalog().runs.claim("me", 500, 100)).toMatchObject({ claims: 1, turn: { suspect: false } });
      expect(await catalog().runs.get("one")).toMatchObject({ failure: null });
      await catalog().runs.close("one", { outcome: "published" }, 200);
      expect(await catalog().runs.get("one")).toMatchObject({ state: "closed", failure: null });
    });

    it("counts neither claim nor death of an owner that released its runs", async () => {
      await open("one", 10, 10);
      for (const owner of ["first", "second", "third"]) {
        expect(await claim(owner, 500, 100)).toBe("one");
        await catalog().runs.release("somebody else");
        await catalog().runs.release(owner);
        await catalog().runs.orphan("me", suspension, 10);
      }
      expect(await catalog().runs.claim("me", 500, 100)).toMatchObject({ claims: 1, turn: { suspect: false } });
    });

    it("lists the turns of hosts and keys, and hands out the next run of one", async () => {
      const add = async (runId: string, host: string | null, keyId: string | undefined, createdAt: number) => {
        const source =
          host === null
            ? ({ kind: "folder", path: `/${runId}`, selection: wholeTree } as const)
            : gitSpec(`https://${host}/a/b`);
        const library = sampleLibrary(runId, { id: `/acme/${runId}`, createdAt, source });
        await catalog().libraries.create(library, null, sampleRun(runId, { ...(keyId !== undefined && { keyId }) }));
      };
      await add("a1", "a.example", "ann", 10);
      await add("a2", "a.example", "ann", 20);
      await add("a3", "a.example", "bob", 30);
      await add("b1", "b.example", "ann", 40);
      await add("f1", null, undefined, 50);
      const turn = { priority: 10, suspect: false };
      expect(await catalog().runs.waiting(100)).toEqual([
        { ...turn, host: "a.example", keyId: "ann", since: 10 },
        { ...turn, host: "a.example", keyId: "bob", since: 30 },
        { ...turn, host: "b.example", keyId: "ann", since: 40 },
        { ...turn, host: null, keyId: null, since: 50 },
      ]);
      const take = async (host: string | null, keyId: string | null) =>
        (await catalog().runs.claim("me", 500, 100, { ...turn, host, keyId }))?.run.runId;
      expect(await take("a.example", "ann")).toBe("a1");
      expect(await take(null, null)).toBe("f1");
      expect(await take("a.example", "ann")).toBe("a2");
      expect(await take("a.example", "ann")).toBeUndefined();
      expect(await catalog().runs.waiting(100)).toHaveLength(2);
      expect(await catalog().runs.waiting(500)).toHaveLength(4);
    });

    it("never hands out a closed run", async () => {
      await open("one", 0, 10);
      await catalog().runs.close("one", { outcome: "cancelled" }, 50);
      expect(await claim("me", 500, 100)).toBeUndefined();
    });
  });
}

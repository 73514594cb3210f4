import { beforeEach, describe, expect, it } from "vitest";
import type { GenerationRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  defaultVersion,
  publishGeneration,
  sampleGeneration,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns generations. */
export function describeGenerations(catalog: CurrentCatalog): void {
  const states = async (uid: string) =>
    Object.fromEntries(
      (await catalog().generations.of(uid, "")).map(({ id, state, removeAfter }): [string, unknown] => [
        id,
        removeAfter === null ? state : removeAfter,
      ]),
    );
  const holdNext = async (uid: string, number: number) => {
    const id = `${uid}-${number}`;
    await catalog().runs.open(uid, "", sampleRun(id), number * 1000);
    await catalog().generations.stage(sampleGeneration(id, uid, number));
    await catalog().generations.hold(id, number * 1000);
    await catalog().runs.close(id, { outcome: "held", revision: `rev-${number}` }, number * 1000 + 1);
    return id;
  };

  const addOne = () => addLibrary(catalog(), "a");

  describe("staging", () => {
    beforeEach(async () => void (await addOne()));

    it("registers what a run made, and replaces the figures when it stages again", async () => {
      const first = sampleGeneration("a-1", "a", 1);
      await catalog().generations.stage(first);
      const staged: GenerationRecord = {
        ...first,
        state: "staged",
        removeAfter: null,
        damage: null,
        unindexedSince: null,
      };
      expect(await catalog().generations.get("a-1")).toEqual(staged);
      const second = sampleGeneration("a-1", "a", 7);
      await catalog().generations.stage(second);
      expect(await catalog().generations.of("a", "")).toEqual([{ ...staged, ...second }]);
    });

    it("leaves a published generation as it is", async () => {
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      await catalog().generations.publish({ runId: "a-1", generation: "a-1", live: null }, 1000);
      await catalog().generations.stage(sampleGeneration("a-1", "a", 7));
      expect(await catalog().generations.get("a-1")).toMatchObject({ state: "live", revision: "rev-1" });
    });

    it("does nothing if library or version is gone, or the version has no open run with that generation", async () => {
      await catalog().generations.stage(sampleGeneration("z", "a", 1));
      expect(await catalog().generations.known(["z"])).toEqual(new Set());
      await catalog().generations.stage(sampleGeneration("x", "gone", 1));
      await catalog().generations.stage(sampleGeneration("y", "a", 1, { version: "v9" }));
      expect(await catalog().generations.known(["x", "y"])).toEqual(new Set());
    });
  });

  describe("publishing", () => {
    beforeEach(async () => void (await addOne()));

    it("replaces the live generation and keeps the previous one", async () => {
      await publishGeneration(catalog(), "a", 1);
      await publishGeneration(catalog(), "a", 2);
      expect(await states("a")).toEqual({ "a-1": "retired", "a-2": "live" });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { id: "a-2" },
        checkedRevision: "rev-2",
        checkedAt: 2001,
        refusedRevision: null,
        openRun: null,
      });
    });

    it("returns true again for the same generation and changes nothing", async () => {
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      const input = { runId: "a-1", generation: "a-1", live: null };
      expect(await catalog().generations.publish(input, 1000)).toBe(true);
      const before = await catalog().libraries.versionsOf("a");
      expect(await catalog().generations.publish(input, 2000)).toBe(true);
      expect(await catalog().libraries.versionsOf("a")).toEqual(before);
    });

    it("returns false for a run that is not open, another live generation, and one that was not staged", async () => {
      await publishGeneration(catalog(), "a", 1);
      await catalog().runs.open("a", "", sampleRun("a-2"), 2000);
      await catalog().generations.stage(sampleGeneration("a-2", "a", 2));
      const publish = (runId: string, generation: string, live: string | null) =>
        catalog().generations.publish({ runId, generation, live }, 2000);
      expect(await publish("a-1", "a-2", "a-1")).toBe(false);
      expect(await publish("a-2", "a-2", null)).toBe(false);
      expect(await publish("a-2", "a-2", "a-0")).toBe(false);
      expect(await publish("a-2", "nothing", "a-1")).toBe(false);
      expect(await states("a")).toEqual({ "a-1": "live", "a-2": "staged" });
      expect(await publish("a-2", "a-2", "a-1")).toBe(true);
    });

    it("publishes no generation into another version", async () => {
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().runs.open("a", "v1", sampleRun("r1"), 2000);
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      expect(await catalog().generations.publish({ runId: "r1", generation: "a-1", live: null }, 2000)).toBe(false);
    });
  });

  describe("holding", () => {
    beforeEach(async () => {
      await addOne();
      await publishGeneration(catalog(), "a", 1);
      await holdNext("a", 2);
    });

    it("keeps a held generation and refuses its revision, the live one staying", async () => {
      expect(await states("a")).toEqual({ "a-1": "live", "a-2": "held" });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { id: "a-1" },
        refusedRevision: "rev-2",
        checkedRevision: "rev-1",
        lastRun: { outcome: "held" },
      });
    });

    it("makes an earlier held generation removable when another takes its place", async () => {
      await holdNext("a", 3);
      expect(await states("a")).toEqual({ "a-1": "live", "a-2": 3000, "a-3": "held" });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ refusedRevision: "rev-3" });
    });

    it("drops a held generation once, and no other", async () => {
      expect(await catalog().generations.dropHeld("a-1", 5000)).toBe(false);
      expect(await catalog().generations.dropHeld("a-2", 5000)).toBe(true);
      expect(await catalog().generations.dropHeld("a-2", 6000)).toBe(false);
      expect(await states("a")).toEqual({ "a-1": "live", "a-2": 5000 });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ refusedRevision: "rev-2" });
    });

    it("publishes a held generation by a run of its own", async () => {
      await catalog().runs.open("a", "", sampleRun("p", { reason: "publish", generation: "a-2" }), 5000);
      const input = { runId: "p", generation: "a-2", live: "a-1" };
      expect(await catalog().generations.publish(input, 5000)).toBe(true);
      await catalog().runs.close("p", { outcome: "published", revision: "rev-2" }, 5001);
      expect(await states("a")).toEqual({ "a-1": "retired", "a-2": "live" });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ refusedRevision: null, checkedRevision: "rev-2" });
    });

    it("keeps a held generation whose publishing failed", async () => {
      await catalog().runs.open("a", "", sampleRun("p", { reason: "publish", generation: "a-2" }), 5000);
      await catalog().runs.close("p", { outcome: "failed" }, 5001);
      expect(await states("a")).toEqual({ "a-1": "live", "a-2": "held" });
    });

    it("does not publish a held generation that is older than the live one", async () => {
      await publishGeneration(catalog(), "a", 3);
      await catalog().runs.open("a", "", sampleRun("p", { reason: "publish", generation: "a-2" }), 5000);
      const input = { runId: "p", generation: "a-2", live: "a-3" };
      expect(await catalog().generations.publish(input, 5000)).toBe(false);
      expect(await states("a")).toEqual({ "a-1": "retired", "a-2": "held", "a-3": "live" });
    });

    it("does not publish a held generation that was dropped meanwhile", async () => {
      await catalog().runs.open("a", "", sampleRun("p", { reason: "publish", generation: "a-2" }), 5000);
      await catalog().generations.dropHeld("a-2", 5000);
      const input = { runId: "p", generation: "a-2", live: "a-1" };
      expect(await catalog().generations.publish(input, 5000)).toBe(false);
    });
  });

  describe("rolling back and retiring", () => {
    beforeEach(async () => void (await addOne()));

    it("makes the newest kept generation live again and refuses the revision that was live", async () => {
      for (const number of [1, 2, 3]) await publishGeneration(catalog(), "a", number);
      expect(await catalog().generations.rollback("a", "", 9000)).toMatchObject({ id: "a-2", state: "live" });
      expect(await states("a")).toEqual({ "a-1": "retired", "a-2": "live", "a-3": "retired" });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { id: "a-2", removeAfter: null },
        refusedRevision: "rev-3",
        checkedRevision: null,
      });
    });

    it("does not roll back to a generation that is to be removed, nor if none is kept", async () => {
      expect(await catalog().generations.rollback("a", "", 9000)).toBeUndefined();
      await publishGeneration(catalog(), "a", 1);
      expect(await catalog().generations.rollback("a", "", 9000)).toBeUndefined();
      await publishGeneration(catalog(), "a", 2);
      await catalog().generations.retire("a", "", 0, 5000);
      expect(await catalog().generations.rollback("a", "", 9000)).toBeUndefined();
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ live: { id: "a-2" }, refusedRevision: null });
    });

    it("marks all retired generations, without those that are marked already", async () => {
      for (const number of [1, 2, 3]) await publishGeneration(catalog(), "a", number);
      await catalog().generations.retire("a", "", 1, 8000);
      expect(await catalog().generations.retireAll(9000)).toBe(1);
      expect(await states("a")).toEqual({ "a-1": 8000, "a-2": 9000, "a-3": "live" });
      expect(await catalog().generations.retireAll(9000)).toBe(0);
    });

    it("marks retired generations beyond the kept ones, once", async () => {
      for (const number of [1, 2, 3, 4]) await publishGeneration(catalog(), "a", number);
      await catalog().generations.retire("a", "", 1, 8000);
      await catalog().generations.retire("a", "", 1, 9000);
      expect(await states("a")).toEqual({ "a-1": 8000, "a-2": 8000, "a-3": "retired", "a-4": "live" });
      expect(await catalog().generations.removable(7999)).toEqual([]);
      expect((await catalog().generations.removable(8000)).map(({ id }) => id)).toEqual(["a-1", "a-2"]);
    });

    it("forgets a generation, but never the live one", async () => {
      await publishGeneration(catalog(), "a", 1);
      await publishGeneration(catalog(), "a", 2);
      await catalog().generations.forget("a-1");
      await catalog().generations.forget("a-2");
      expect(await states("a")).toEqual({ "a-2": "live" });
    });

    it("lists every live generation with its counts", async () => {
      for (const uid of ["b", "c"]) await addLibrary(catalog(), uid, { id: `/acme/${uid}` });
      for (const [uid, number] of [
        ["a", 1],
        ["a", 2],
        ["b", 1],
      ] as const)
        await publishGeneration(catalog(), uid, number);
      const live = (await catalog().generations.live()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const listed = (uid: string, number: number) => {
        const { id, counts } = sampleGeneration(`${uid}-${number}`, uid, number);
        return { id, libraryUid: uid, version: "", counts, damage: null, unindexedSince: null };
      };
      expect(live).toEqual([listed("a", 2), listed("b", 1)]);
    });

    it("lists the live generations that the index is known to lack, and since when", async () => {
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      for (const [uid, number] of [
        ["a", 1],
        ["a", 2],
        ["b", 1],
      ] as const)
        await publishGeneration(catalog(), uid, number);
      const { generations } = catalog();
      await generations.noteUnindexed(["a-1", "b-1", "gone"], true, 5000);
      await generations.noteUnindexed(["b-1"], true, 6000);
      expect(await generations.live({ unindexed: true })).toMatchObject([{ id: "b-1", unindexedSince: 5000 }]);
      expect(await generations.get("a-2")).toMatchObject({ unindexedSince: null });
      await generations.noteUnindexed(["a-2", "b-1"], false, 7000);
      expect(await generations.live({ unindexed: true })).toEqual([]);
      expect((await generations.live()).map(({ unindexedSince }) => unindexedSince)).toEqual([null, null]);
    });

    it("counts the libraries with live generations, and those that wait to be loaded into the index", async () => {
      expect(await catalog().generations.rebuilding()).toEqual({ libraries: 0, waiting: 0 });
      for (const uid of ["b", "c", "d"]) await addLibrary(catalog(), uid, { id: `/acme/${uid}` });
      for (const uid of ["a", "b", "c"]) await publishGeneration(catalog(), uid, 1);
      await publishGeneration(catalog(), "a", 2);
      await catalog().runs.open("a", "", sampleRun("load-a", { generation: "a-2" }), 5000);
      // b publishes what is not live, c reads the source.
      await catalog().runs.open("b", "", sampleRun("publish-b", { generation: "b-0" }), 5000);
      await catalog().runs.open("c", "", sampleRun("refresh-c"), 5000);
      expect(await catalog().generations.rebuilding()).toEqual({ libraries: 3, waiting: 1 });
      await catalog().runs.close("load-a", { outcome: "published" }, 6000);
      expect(await catalog().generations.rebuilding()).toEqual({ libraries: 3, waiting: 0 });
    });

    it("does not keep a damaged generation in place of another", async () => {
      for (const number of [1, 2, 3]) await publishGeneration(catalog(), "a", number);
      await catalog().generations.noteDamage("a-2", "Its part is missing.", 4000);
      await catalog().generations.retire("a", "", 1, 8000);
      expect(await states("a")).toEqual({ "a-1": "retired", "a-2": 8000, "a-3": "live" });
    });

    it("knows which of many ids are generations", async () => {
      await publishGeneration(catalog(), "a", 1);
      const ids = Array.from({ length: 1200 }, (_, index) => `other-${index}`);
      expect(await catalog().generations.known([...ids, "a-1"])).toEqual(new Set(["a-1"]));
      expect(await catalog().generations.known([])).toEqual(new Set());
    });
  });
}

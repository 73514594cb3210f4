import { describe, expect, it } from "vitest";
import {
  addLibrary,
  defaultVersion,
  publishGeneration,
  sampleGeneration,
  sampleLibrary,
  sampleRoom,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns removals, rollbacks and runs of one library together. */
export function describeSequences(catalog: CurrentCatalog): void {
  const publishNext = (live: string | null) =>
    catalog().generations.publish({ runId: "r2", generation: "r2", live }, 2500);
  /** A library with `a-1` live, and the run `r2` about to publish what it staged. */
  const refreshing = async () => {
    await addLibrary(catalog(), "a");
    await publishGeneration(catalog(), "a", 1);
    await catalog().runs.open("a", "", sampleRun("r2"), 2000);
    await catalog().generations.stage(sampleGeneration("r2", "a", 2));
  };

  describe("removing a library", () => {
    it("hides it at once, cancels its open runs and makes its generations removable", async () => {
      await refreshing();
      await catalog().libraries.keepRefs("a", [{ kind: "tag", name: "v1", revision: "r" }]);
      const cancelled = await catalog().libraries.remove("a", 3000);
      expect(cancelled).toMatchObject([
        { runId: "r2", state: "closed", outcome: "cancelled", closedAt: 3000, failure: { code: "run_cancelled" } },
      ]);
      expect(await catalog().libraries.find([""], "/acme/widgets", "")).toBeUndefined();
      expect(await catalog().libraries.versionsOf("a")).toEqual([]);
      expect(await catalog().libraries.refs("a")).toEqual([]);
      expect(await catalog().runs.openRuns()).toEqual([]);
      expect(await catalog().runs.of("a", 10)).toEqual([]);
      expect(await catalog().runs.get("r2")).toEqual(cancelled[0]);
      expect((await catalog().generations.removable(3000)).map(({ id }) => id)).toEqual(["a-1", "r2"]);
    });

    it("is no error if the library is gone", async () => {
      await addLibrary(catalog(), "a");
      expect(await catalog().libraries.remove("a", 2000)).toHaveLength(1);
      expect(await catalog().libraries.remove("a", 2001)).toEqual([]);
    });

    it("does not move the time from which a generation may be removed", async () => {
      await addLibrary(catalog(), "a");
      for (const number of [1, 2]) await publishGeneration(catalog(), "a", number);
      await catalog().generations.retire("a", "", 0, 2500);
      await catalog().libraries.remove("a", 9000);
      expect(await catalog().generations.get("a-1")).toMatchObject({ removeAfter: 2500 });
      expect(await catalog().generations.get("a-2")).toMatchObject({ removeAfter: 9000 });
    });

    it("forgets the runs of libraries that were removed long before", async () => {
      const day = 24 * 60 * 60_000;
      await addLibrary(catalog(), "a");
      await catalog().libraries.remove("a", 2000);
      await addLibrary(catalog(), "b");
      await catalog().libraries.remove("b", 2000 + day);
      expect(await catalog().runs.get("a-1")).toBeDefined();
      await catalog().libraries.remove("none", 2001 + day);
      expect(await catalog().runs.get("a-1")).toBeUndefined();
      expect(await catalog().runs.get("b-1")).toBeDefined();
    });

    it("makes only the generations of a replaced version removable", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().runs.open("a", "v1", sampleRun("r2"), 2000);
      await catalog().generations.stage(sampleGeneration("r2", "a", 2, { version: "v1" }));
      expect(await publishNext(null)).toBe(true);
      await catalog().runs.close("r2", { outcome: "published" }, 2600);
      expect(await catalog().libraries.addVersion("a", "v2", "v2", sampleRoom(1, 3000))).toBe(true);
      expect(await catalog().generations.removable(3099)).toEqual([]);
      expect((await catalog().generations.removable(3100)).map(({ id }) => id)).toEqual(["r2"]);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ live: { id: "a-1" } });
      expect((await catalog().runs.of("a", 10)).map(({ runId }) => runId)).toEqual(["a-1"]);
    });
  });

  describe("changes during a run", () => {
    it("lets no run publish into a library that was removed", async () => {
      await refreshing();
      await catalog().libraries.remove("a", 2400);
      expect(await publishNext("a-1")).toBe(false);
      await catalog().generations.hold("r2", 2500);
      await catalog().runs.close("r2", { outcome: "superseded" }, 2600);
      expect(await catalog().runs.get("r2")).toMatchObject({ outcome: "cancelled", closedAt: 2400 });
      expect(await catalog().generations.get("r2")).toMatchObject({ state: "retired", removeAfter: 2400 });
    });

    it("keeps an old run from publishing into a library that was added again", async () => {
      await refreshing();
      await catalog().libraries.remove("a", 2400);
      await addLibrary(catalog(), "b");
      expect(await publishNext("a-1")).toBe(false);
      expect(await publishNext(null)).toBe(false);
      await catalog().runs.close("r2", { outcome: "superseded" }, 2600);
      expect(await catalog().libraries.find([""], "/acme/widgets", "")).toMatchObject({
        library: { uid: "b" },
        version: { live: null, openRun: { runId: "b-1" }, lastRun: null },
      });
      expect(await publishGeneration(catalog(), "b", 1)).toBe("b-1");
      expect((await catalog().generations.removable(9000)).map(({ id }) => id)).toEqual(["a-1", "r2"]);
    });

    it("lets a rollback win over a run that began before it", async () => {
      await addLibrary(catalog(), "a");
      for (const number of [1, 2]) await publishGeneration(catalog(), "a", number);
      await catalog().runs.open("a", "", sampleRun("r2"), 3000);
      await catalog().generations.stage(sampleGeneration("r2", "a", 3));
      expect(await catalog().generations.rollback("a", "", 3100)).toMatchObject({ id: "a-1" });
      expect(await publishNext("a-2")).toBe(false);
      await catalog().runs.close("r2", { outcome: "superseded" }, 3200);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { id: "a-1" },
        openRun: null,
        refusedRevision: "rev-2",
        checkedRevision: null,
      });
      expect((await catalog().generations.removable(3200)).map(({ id }) => id)).toEqual(["r2"]);
    });

    it("does not publish again, by a repeated step, what was rolled back in between", async () => {
      await refreshing();
      expect(await publishNext("a-1")).toBe(true);
      await catalog().generations.rollback("a", "", 2600);
      expect(await publishNext("a-1")).toBe(false);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ live: { id: "a-1" }, refusedRevision: "rev-2" });
    });

    it("ends a cancelled run without touching what is live", async () => {
      await refreshing();
      const failure = { code: "run_cancelled", message: "Cancelled." } as const;
      await catalog().runs.close("r2", { outcome: "cancelled", failure }, 2400);
      expect(await publishNext("a-1")).toBe(false);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { id: "a-1" },
        openRun: null,
        lastRun: { runId: "r2", failure },
        checkedRevision: "rev-1",
      });
      expect(await catalog().runs.open("a", "", sampleRun("r3"), 2700)).toMatchObject({ joined: false });
    });

    it("ends a race of adding and removing with the old library or the new one", async () => {
      for (let round = 0; round < 10; round += 1) {
        const [old, fresh] = [`old${round}`, `new${round}`];
        const id = `/acme/race${round}`;
        await addLibrary(catalog(), old, { id });
        const create = () => catalog().libraries.create(sampleLibrary(fresh, { id }), null, sampleRun(`${fresh}-1`));
        const remove = () => catalog().libraries.remove(old, 2000);
        if (round % 2 === 0) await Promise.all([create(), remove()]);
        else await Promise.all([remove(), create()]);
        const view = await catalog().libraries.find([""], id, "");
        const added = (await catalog().libraries.get(fresh)) !== undefined;
        expect(view?.library.uid).toBe(added ? fresh : undefined);
        expect(view?.version?.openRun?.runId).toBe(added ? `${fresh}-1` : undefined);
        expect(await catalog().libraries.get(old)).toBeUndefined();
      }
    });
  });
}

import { beforeEach, describe, expect, it } from "vitest";
import type { Trouble } from "../../domain/ports.ts";
import { addLibrary, publishGeneration, sampleGeneration, sampleRun, type CurrentCatalog } from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns troubles of libraries, and questions without an answer. */
export function describeTroubles(catalog: CurrentCatalog): void {
  describe("libraries with troubles", () => {
    const minute = 60_000;
    const find = async (kind: Trouble, now = 10_000) => {
      const query = { teamspaces: [""], limit: 1, trouble: { kind, now } };
      const first = await catalog().libraries.list(query);
      const rest =
        first.next === null ? [] : (await catalog().libraries.list({ ...query, limit: 10, cursor: first.next })).items;
      const listed = [...first.items, ...rest].map(({ library }) => library.uid);
      expect(listed).toHaveLength(first.total);
      // A list of all libraries marks the same ones.
      const all = await catalog().libraries.list({ teamspaces: [""], limit: 10, troublesAt: now });
      const marked = all.items.filter(({ troubles = [] }) => troubles.includes(kind)).map(({ library }) => library.uid);
      expect(marked).toEqual(listed);
      const any = await catalog().libraries.list({ teamspaces: [""], limit: 10, trouble: { kind: "any", now } });
      const troubled = all.items.filter(({ troubles = [] }) => troubles.length > 0);
      expect(any.items.map(({ library }) => library.uid)).toEqual(troubled.map(({ library }) => library.uid));
      return listed;
    };
    const stage = async (uid: string, number: number, version = "") => {
      const id = `${uid}-${number}${version}`;
      await catalog().runs.open(uid, version, sampleRun(id), number * 1000);
      await catalog().generations.stage({ ...sampleGeneration(id, uid, number), version });
      return id;
    };
    beforeEach(async () => {
      for (const uid of ["a", "b", "c"]) {
        await addLibrary(catalog(), uid, { id: `/acme/${uid}` });
        await publishGeneration(catalog(), uid, 1);
      }
    });

    it("are found by a failed run of any version, until the next one succeeds", async () => {
      await catalog().libraries.addVersion("b", "v1", "v1");
      for (const [uid, version] of [
        ["a", ""],
        ["b", "v1"],
      ] as const) {
        await catalog().runs.open(uid, version, sampleRun(`${uid}-x`), 2000);
        await catalog().runs.close(`${uid}-x`, { outcome: "failed" }, 2500);
      }
      expect(await find("failed")).toEqual(["a", "b"]);
      await catalog().runs.open("a", "", sampleRun("a-y"), 3000);
      await catalog().runs.close("a-y", { outcome: "unchanged" }, 3500);
      expect(await find("failed")).toEqual(["b"]);
    });

    it("are found by a held refresh, and by a live generation that is damaged or has passages in quarantine", async () => {
      const held = await stage("a", 2);
      await catalog().generations.hold(held, 2500);
      await catalog().runs.close(held, { outcome: "held" }, 2500);
      await catalog().generations.noteDamage("b-1", "A part is missing.", 3000);
      const suspicious = await stage("c", 2);
      const sample = sampleGeneration(suspicious, "c", 2);
      const counts = { ...sample.counts, quarantined: 3, isPartial: true } as const;
      await catalog().generations.stage({ ...sample, counts });
      expect([await find("quarantined"), await find("partial")]).toEqual([[], []]);
      await catalog().generations.publish({ runId: suspicious, generation: suspicious, live: "c-1" }, 2500);
      expect({
        held: await find("held"),
        damaged: await find("damaged"),
        quarantined: await find("quarantined"),
        partial: await find("partial"),
      }).toEqual({ held: ["a"], damaged: ["b"], quarantined: ["c"], partial: ["c"] });
      await catalog().generations.dropHeld(held, 4000);
      await catalog().generations.noteDamage("b-1", null, 4000);
      expect([await find("held"), await find("damaged")]).toEqual([[], []]);
    });

    it("are found by a live generation that is not in the index", async () => {
      await publishGeneration(catalog(), "a", 2);
      await catalog().generations.noteUnindexed(["a-1", "c-1"], true, 3000);
      expect(await find("unindexed")).toEqual(["c"]);
      expect((await catalog().figures(4000)).troubles).toMatchObject({ unindexed: 1 });
      await catalog().generations.noteUnindexed(["c-1"], false, 4000);
      expect(await find("unindexed")).toEqual([]);
    });

    it("are found by a run that is suspended, or without progress for half an hour", async () => {
      for (const uid of ["a", "b", "c"]) await catalog().runs.open(uid, "", sampleRun(`${uid}-2`), 1000);
      await catalog().runs.report("b-2", { phase: "collecting" }, 20 * minute);
      await catalog().runs.close("c-2", { outcome: "unchanged" }, 2000);
      expect(await find("stuck", 20 * minute)).toEqual([]);
      expect(await find("stuck", 40 * minute)).toEqual(["a"]);
      expect(await find("stuck", 60 * minute)).toEqual(["a", "b"]);
      await catalog().runs.report("b-2", { progress: { pagesDone: 1 } }, 59 * minute);
      expect(await find("stuck", 60 * minute)).toEqual(["a"]);
      await catalog().runs.claim("dead", 1, 1000);
      const failure = { code: "run_suspended", message: "Twice." } as const;
      await catalog().runs.orphan("other", { deaths: 1, failure }, 10);
      expect(await find("stuck", 2000)).toHaveLength(1);
    });
  });

  describe("questions that found nothing", () => {
    it("add up by their words, the latest first, a hundred at most, and are removed with their library", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      const miss = (libraryUid: string, words: string, askedAt: number, times = 1) => ({
        libraryUid,
        words,
        times,
        askedAt,
      });
      await catalog().libraries.noteMisses([
        miss("a", "fly", 1),
        miss("gone", "fly", 1),
        miss("b", "fly", 1),
        miss("a", "swim", 2),
      ]);
      await catalog().libraries.noteMisses([miss("a", "fly", 3, 4)]);
      expect(await catalog().libraries.misses("a", 10)).toEqual([miss("a", "fly", 3, 5), miss("a", "swim", 2)]);
      expect(await catalog().libraries.misses("a", 1)).toHaveLength(1);
      await catalog().libraries.noteMisses(Array.from({ length: 130 }, (_, at) => miss("a", `word ${at}`, 10 + at)));
      const kept = await catalog().libraries.misses("a", 1000);
      expect([kept.length, kept[0]?.words, kept.at(-1)?.words]).toEqual([100, "word 129", "word 30"]);
      await catalog().libraries.remove("a", 5000);
      expect(await catalog().libraries.misses("a", 10)).toEqual([]);
      expect(await catalog().libraries.misses("b", 10)).toEqual([miss("b", "fly", 1)]);
      await catalog().libraries.noteMisses([]);
    });
  });
}

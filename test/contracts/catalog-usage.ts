import { describe, expect, it } from "vitest";
import { addLibrary, defaultVersion, publishGeneration, sampleRun, type CurrentCatalog } from "./catalog-samples.ts";

const day = 24 * 60 * 60_000;
const now = Date.UTC(2026, 10, 21, 12);

/** The part of the Catalog contract that concerns reads of libraries, and the refreshes that depend on them. */
export function describeUsage(catalog: CurrentCatalog): void {
  describe("counting reads", () => {
    it("adds up by library and day, and sums from a day on", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      const count = (libraryUid: string, on: string, reads: number) => ({ libraryUid, day: on, reads });
      await catalog().libraries.countReads([count("a", "2026-11-20", 3), count("b", "2026-11-20", 100)], now);
      const more = [count("a", "2026-11-21", 4), count("a", "2026-11-20", 5), count("a", "2026-11-21", 6)];
      await catalog().libraries.countReads(more, now);
      expect(await catalog().libraries.readsSince("a", "2026-11-20")).toBe(18);
      expect(await catalog().libraries.readsSince("a", "2026-11-21")).toBe(10);
      expect(await catalog().libraries.readsSince("a", "2026-11-22")).toBe(0);
      expect(await catalog().libraries.readsSince("b", "2026-01-01")).toBe(100);
      expect(await catalog().libraries.readsSince("unknown", "2026-01-01")).toBe(0);
    });

    it("drops reads of libraries that are gone, and keeps the others of the batch", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      const batch = ["gone", "a", "b"].map((libraryUid) => ({ libraryUid, day: "2026-11-21", reads: 1 }));
      await catalog().libraries.countReads(batch, now);
      await catalog().libraries.remove("b", now);
      await catalog().libraries.countReads(batch, now);
      const sums = ["gone", "a", "b"].map((uid) => catalog().libraries.readsSince(uid, "2026-01-01"));
      expect(await Promise.all(sums)).toEqual([0, 2, 0]);
      await catalog().libraries.countReads([], now);
    });

    it("drops days older than sixty days, even if they arrive late", async () => {
      await addLibrary(catalog(), "a");
      const old = { libraryUid: "a", day: "2026-09-22", reads: 1 };
      const late = { libraryUid: "a", day: "2026-09-21", reads: 10 };
      await catalog().libraries.countReads([old, late], now);
      expect(await catalog().libraries.readsSince("a", "2026-01-01")).toBe(1);
      await catalog().libraries.countReads([], now + day);
      expect(await catalog().libraries.readsSince("a", "2026-01-01")).toBe(0);
    });

    it("takes a batch of many libraries", async () => {
      const uids = Array.from({ length: 30 }, (_, index) => `u${index}`);
      for (const uid of uids) await addLibrary(catalog(), uid, { id: `/acme/${uid}` });
      const days = Array.from({ length: 40 }, (_, back) => new Date(now - back * day).toISOString().slice(0, 10));
      await catalog().libraries.countReads(
        uids.flatMap((libraryUid) => days.map((on) => ({ libraryUid, day: on, reads: 2 }))),
        now,
      );
      for (const uid of ["u0", "u17", "u29"]) expect(await catalog().libraries.readsSince(uid, "2026-01-01")).toBe(80);
    });
  });

  describe("refreshes that are due", () => {
    const due = async (time: number, limit = 10) =>
      (await catalog().libraries.dueRefreshes(time, limit)).map(({ library, version, refreshAt }) => [
        library.uid,
        version,
        refreshAt,
      ]);
    const finalized = async (uid: string, refreshAt: number | null) => {
      const library = await addLibrary(catalog(), uid, { id: `/acme/${uid}` });
      await publishGeneration(catalog(), uid, 1);
      await catalog().libraries.setRefreshAt(uid, "", refreshAt);
      return library;
    };

    it("come the longest overdue first, with their library, up to a limit", async () => {
      await finalized("late", 50);
      const oldest = await finalized("oldest", 10);
      await finalized("future", 101);
      await finalized("never", null);
      expect(await due(100)).toEqual([
        ["oldest", "", 10],
        ["late", "", 50],
      ]);
      expect(await catalog().libraries.dueRefreshes(100, 1)).toEqual([
        { library: oldest, version: "", refreshAt: 10, damaged: false },
      ]);
      expect(await defaultVersion(catalog(), "future")).toMatchObject({ refreshAt: 101 });
      await catalog().libraries.setRefreshAt("oldest", "", null);
      expect(await due(100)).toEqual([["late", "", 50]]);
    });

    it("leave out what is being indexed, was never finalized, or moved", async () => {
      await finalized("open", 10);
      await catalog().runs.open("open", "", sampleRun("r2"), 2000);
      await finalized("moved", 10);
      await catalog().libraries.update("moved", { redirect: "/acme/elsewhere" });
      await addLibrary(catalog(), "failed", { id: "/acme/failed" });
      await catalog().runs.close("failed-1", { outcome: "failed" }, 5);
      await catalog().libraries.setRefreshAt("failed", "", 10);
      expect(await due(100)).toEqual([]);
      await catalog().runs.close("r2", { outcome: "unchanged" }, 3000);
      expect(await due(100)).toEqual([["open", "", 10]]);
    });

    it("are due for damaged generations, from when the damage was first noted", async () => {
      for (const uid of ["a", "moved", "unread"]) await finalized(uid, null);
      await catalog().libraries.update("moved", { redirect: "/acme/elsewhere" });
      const { noteDamage } = catalog().generations;
      const damage = "Its part is missing.";
      for (const uid of ["a", "moved", "unread"]) expect(await noteDamage(`${uid}-1`, damage, 50)).toBe(true);
      expect(await noteDamage("none", damage, 50)).toBe(false);
      expect(await due(100)).toEqual([
        ["a", "", 50],
        ["unread", "", 50],
      ]);
      expect(await catalog().libraries.dueRefreshes(100, 1)).toMatchObject([{ damaged: true }]);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ live: { damage }, refreshAt: 50 });

      await catalog().libraries.setRefreshAt("a", "", 500);
      await noteDamage("a-1", "Its manifest is missing.", 60);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        live: { damage: "Its manifest is missing." },
        refreshAt: 500,
      });
      await publishGeneration(catalog(), "a", 2);
      expect(await noteDamage("a-1", damage, 70)).toBe(false);
      await noteDamage("unread-1", null, 70);
      for (const uid of ["a", "unread"]) expect((await defaultVersion(catalog(), uid)).live?.damage).toBeNull();
    });

    it("are planned for each version by itself", async () => {
      await finalized("a", 10);
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().libraries.setRefreshAt("a", "v1", 5);
      await catalog().libraries.setRefreshAt("a", "v9", 5);
      await catalog().libraries.setRefreshAt("gone", "", 5);
      expect(await due(100)).toEqual([["a", "", 10]]);
      expect((await catalog().libraries.versionsOf("a")).map(({ refreshAt }) => refreshAt)).toEqual([10, 5]);
    });
  });
}

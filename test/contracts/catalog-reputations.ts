import { describe, expect, it } from "vitest";
import type { Catalog, LibraryRecord } from "../../domain/ports.ts";
import { nothingKnown } from "../../domain/trust.ts";
import { sampleLibrary } from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns reputations. */
export function describeReputations(catalog: () => Catalog): void {
  const add = async (uid: string, changes: Partial<LibraryRecord> = {}): Promise<void> => {
    const { libraries } = catalog();
    const run = { runId: `run-${uid}`, reason: "submit", priority: 0 } as const;
    await libraries.create(sampleLibrary(uid, { id: `/acme/${uid}`, ...changes }), null, run);
  };
  const keys = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, at) => `page-${from + at}`);

  describe("reputations", () => {
    it("are kept with a library until there is a newer one", async () => {
      await add("a");
      const { libraries } = catalog();
      const reputation = { ...nothingKnown(2000), score: 7, stars: 12, homepage: "https://www.a.example/docs" };
      await libraries.update("a", { reputation, verified: true });
      expect(await libraries.get("a")).toMatchObject({ reputation, verified: true });
      await libraries.update("a", { verified: null });
      expect(await libraries.get("a")).not.toHaveProperty("verified");
      expect((await libraries.namingSite("a.example")).map(({ uid }) => uid)).toEqual(["a"]);
      expect(await libraries.namingSite("www.a.example")).toEqual([]);
    });

    it("are due for public libraries that do not redirect if missing or old, the oldest first", async () => {
      await catalog().teamspaces.add({ id: "web", title: "Web", createdAt: 1 });
      for (const uid of ["new", "old", "older", "never"]) await add(uid);
      await add("own", { teamspace: "web" });
      await add("moved");
      const { libraries } = catalog();
      await libraries.update("moved", { redirect: "/acme/new" });
      for (const [uid, at] of [
        ["new", 9000],
        ["old", 3000],
        ["older", 2000],
      ] as const)
        await libraries.update(uid, { reputation: nothingKnown(at) });
      const due = async (limit: number) => (await libraries.withoutReputation(5000, limit)).map(({ uid }) => uid);
      expect(await due(10)).toEqual(["never", "older", "old"]);
      expect(await due(1)).toEqual(["never"]);
    });

    it("find libraries that share a sample's pages, those with the most first, and forget a sample with its library", async () => {
      for (const uid of ["one", "most", "some", "few"]) await add(uid);
      const { libraries } = catalog();
      await libraries.keepSample("one", keys(0, 10));
      await libraries.keepSample("most", keys(1, 20));
      await libraries.keepSample("some", keys(3, 12));
      await libraries.keepSample("few", keys(8, 30));
      const like = async () => (await libraries.likeSample("one", 7)).map(({ uid }) => uid);
      expect(await like()).toEqual(["most", "some"]);
      await libraries.keepSample("some", keys(6, 30));
      await libraries.remove("most", 5000);
      expect(await like()).toEqual([]);
      await libraries.keepSample("gone", keys(0, 3));
      expect(await libraries.likeSample("gone", 1)).toEqual([]);
    });
  });
}

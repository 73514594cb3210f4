import { describe, expect, it } from "vitest";
import { addLibrary, addTeamspace, publishGeneration, sampleHook, type CurrentCatalog } from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns hooks, and the changes that hosts report. */
export function describeHooks(catalog: CurrentCatalog): void {
  describe("hooks", () => {
    it("are kept by teamspace, and lost with their library or teamspace", async () => {
      const { hooks, libraries, teamspaces } = catalog();
      await addTeamspace(catalog(), "web");
      await addLibrary(catalog(), "a");
      const [one, two, three] = [
        sampleHook("1"),
        sampleHook("2", { libraryUid: "a", prefix: null }),
        sampleHook("3", { teamspace: "web" }),
      ];
      for (const hook of [two, one, three]) await hooks.add(hook);
      expect(await hooks.list("default")).toEqual([one, two]);
      expect(await hooks.get("3")).toEqual(three);
      await hooks.reseal("1", "other");
      expect(await hooks.get("1")).toEqual({ ...one, sealed: "other" });
      await libraries.remove("a", 2000);
      await teamspaces.remove("web");
      expect(await Promise.all(["2", "3", "4"].map((id) => hooks.get(id)))).toEqual([undefined, undefined, undefined]);
      expect([await hooks.remove("1"), await hooks.remove("1")]).toEqual([true, false]);
    });

    it("know their deliveries for a while", async () => {
      const { hooks } = catalog();
      await hooks.add(sampleHook("1"));
      await hooks.add(sampleHook("2"));
      await hooks.note("1", "d1", "Nothing.", 2000);
      await hooks.note("1", "d1", "Nothing.", 3000);
      await hooks.note("1", "d2", "Something.", 4000);
      await hooks.note("gone", "d1", "Nothing.", 4000);
      expect(await hooks.get("1")).toMatchObject({ deliveredAt: 4000, result: "Something." });
      expect([await hooks.knows("1", "d1"), await hooks.knows("2", "d1")]).toEqual([true, false]);
      await hooks.forget(3000);
      expect([await hooks.knows("1", "d1"), await hooks.knows("1", "d2")]).toEqual([false, true]);
    });
  });

  it("finds the libraries of a repository, and keeps reported changes until a run has read them", async () => {
    const { libraries } = catalog();
    await addLibrary(catalog(), "a");
    await publishGeneration(catalog(), "a", 1);
    const [library] = await libraries.at("git.example.com/acme/widgets");
    expect(library?.uid).toBe("a");
    expect(await libraries.at("git.example.com/none")).toEqual([]);
    await libraries.markPushed("a", "", 5000);
    await libraries.markPushed("a", "gone", 5000);
    expect(await libraries.pushed(10)).toEqual([{ libraryUid: "a", version: "" }]);
    await libraries.clearPushed("a", "", 4999);
    expect(await libraries.pushed(10)).toHaveLength(1);
    await libraries.clearPushed("a", "", 5000);
    expect(await libraries.pushed(10)).toEqual([]);
  });
}

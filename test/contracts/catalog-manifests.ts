import { describe, expect, it } from "vitest";
import type { Declaration } from "../../domain/ports.ts";
import { addLibrary, sampleLibrary, sampleRun, type CurrentCatalog } from "./catalog-samples.ts";

const declaration: Declaration = {
  manifest: "libraries",
  teamspace: "default",
  made: true,
  location: "https://git.example.com/acme/a",
  fields: { branch: null, folders: ["docs"], schedule: 7 },
  waiting: ["v1", "v2"],
};

/** The part of the Catalog contract that concerns library manifests. */
export function describeManifests(catalog: CurrentCatalog): void {
  describe("library manifests", () => {
    it("keep how they were applied last", async () => {
      const { manifests } = catalog();
      const record = {
        name: "libraries",
        teamspace: "default",
        revision: null,
        appliedAt: 1000,
        result: "1 library added.",
        problems: ["a: failed"],
      };
      await manifests.note(record);
      await manifests.note({ ...record, name: "b", teamspace: "web" });
      await manifests.note({ ...record, revision: "abc", appliedAt: 2000, problems: [] });
      expect(await manifests.list("default")).toEqual([{ ...record, revision: "abc", appliedAt: 2000, problems: [] }]);
    });

    it("declare libraries, until these are removed", async () => {
      const { manifests, libraries } = catalog();
      await addLibrary(catalog(), "b", { id: "/acme/b" });
      await addLibrary(catalog(), "c", { id: "/acme/c" });
      const library = sampleLibrary("a", { id: "/acme/a" });
      await libraries.create(library, null, sampleRun("run-a"), { declaration });
      await manifests.declare("b", { ...declaration, made: false, waiting: [] });
      await manifests.declare("c", { ...declaration, manifest: "other" });
      await manifests.declare("gone", declaration);
      const declared = await manifests.declared({ name: "libraries", teamspace: "default" });
      expect(declared.map((one) => [one.library.uid, one.declaration.made])).toEqual([
        ["a", true],
        ["b", false],
      ]);
      expect(await manifests.of("a")).toEqual(declaration);
      expect((await manifests.waiting(10)).map((one) => one.library.uid)).toEqual(["a", "c"]);
      expect(await manifests.waiting(1)).toHaveLength(1);
      await libraries.update("a", { declaration: { ...declaration, waiting: [] }, pushedAt: 5000 });
      expect((await manifests.waiting(10)).map((one) => one.library.uid)).toEqual(["c"]);
      await manifests.declare("c", null);
      await libraries.remove("a", 6000);
      expect([await manifests.of("a"), await manifests.of("c")]).toEqual([undefined, undefined]);
      expect(await manifests.declared({ name: "libraries", teamspace: "web" })).toEqual([]);
    });
  });
}

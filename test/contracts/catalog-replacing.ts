import { describe, expect, it } from "vitest";
import { addLibrary, sampleCredential, sampleLibrary, sampleRun, type CurrentCatalog } from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns replacing a library by another of the same ID. */
export function describeReplacing(catalog: CurrentCatalog): void {
  describe("replacing a library", () => {
    it("returns when the last run of a library without content ended, and writes nothing", async () => {
      const first = await addLibrary(catalog(), "a");
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().runs.open("a", "v1", sampleRun("a-2"), 2);
      const create = (replaces?: string) =>
        catalog().libraries.create(
          sampleLibrary("b"),
          null,
          sampleRun("b-1"),
          replaces === undefined ? {} : { replaces },
        );
      await catalog().runs.close("a-1", { outcome: "cancelled" }, 5);
      expect(await create()).toEqual({ exists: first });
      await catalog().runs.close("a-2", { outcome: "failed" }, 9);
      expect(await create()).toEqual({ exists: first, idle: { since: 9 } });
      expect(await create("c"), "another library").toEqual({ exists: first, idle: { since: 9 } });
      expect(await catalog().libraries.get("b")).toBeUndefined();
      expect(await catalog().libraries.get("a")).toEqual(first);
    });

    it("replaces a library that was never finalized, with its credential", async () => {
      const own = sampleCredential("c1", { teamspace: "", name: "" });
      await catalog().libraries.create(sampleLibrary("a", { credential: "c1" }), null, sampleRun("a-1"), { own });
      await catalog().runs.close(
        "a-1",
        { outcome: "failed", failure: { code: "source_not_found", message: "Gone." } },
        5,
      );
      const result = await catalog().libraries.create(sampleLibrary("b", { createdAt: 9 }), null, sampleRun("b-1"), {
        replaces: "a",
      });
      expect(result).toMatchObject({ created: { joined: false, run: { runId: "b-1", libraryUid: "b" } } });
      expect((await catalog().libraries.find([""], "/acme/widgets", ""))?.library.uid).toBe("b");
      expect(await catalog().libraries.get("a")).toBeUndefined();
      expect(await catalog().credentials.get("c1")).toBeUndefined();
      expect(await catalog().runs.of("a", 10)).toEqual([]);
    });

    it("does not replace a library of which only another version is live or being indexed", async () => {
      await addLibrary(catalog(), "a");
      await catalog().runs.close("a-1", { outcome: "cancelled" }, 5);
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().runs.open("a", "v1", sampleRun("a-2"), 6);
      const result = await catalog().libraries.create(sampleLibrary("b"), null, sampleRun("b-1"), { replaces: "a" });
      expect(result).toMatchObject({ exists: { uid: "a" } });
      expect(result).not.toHaveProperty("idle");
    });
  });
}

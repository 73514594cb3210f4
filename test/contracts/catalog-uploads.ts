import { describe, expect, it } from "vitest";
import {
  addLibrary,
  defaultVersion,
  publishGeneration,
  sampleGeneration,
  sampleRun,
  sourceAt,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns uploaded files. */
export function describeUploads(catalog: CurrentCatalog): void {
  describe("uploads", () => {
    const source = sourceAt("https://git.example.com/acme/other");

    it("are listed while a library is read from them", async () => {
      expect(await catalog().libraries.uploads()).toEqual(new Set());
      await addLibrary(catalog(), "a", { id: "/docs/a", upload: "file-a" });
      await addLibrary(catalog(), "b", { id: "/docs/b", upload: "file-b" });
      await addLibrary(catalog(), "c", { id: "/acme/c" });
      expect(await catalog().libraries.uploads()).toEqual(new Set(["file-a", "file-b"]));
      expect(await catalog().libraries.get("a")).toMatchObject({ upload: "file-a" });
      await catalog().libraries.remove("a", 2000);
      expect(await catalog().libraries.uploads()).toEqual(new Set(["file-b"]));
    });

    it("are replaced with a run that reads the new one; the open one is closed, and cannot publish", async () => {
      await addLibrary(catalog(), "a", { id: "/docs/a", upload: "first" });
      await catalog().generations.stage(sampleGeneration("a-1", "a", 1));
      const changes = { source, upload: "second", description: "Other words.", chosen: { title: "Chosen" } };
      const replaced = await catalog().libraries.replaceUpload("a", changes, sampleRun("a-2"), 2000);
      expect(replaced).toMatchObject({
        run: { runId: "a-2", state: "open", libraryId: "/docs/a" },
        superseded: { runId: "a-1", state: "closed", outcome: "superseded" },
      });
      expect(await catalog().libraries.get("a")).toMatchObject({ ...changes, title: "Widgets" });
      expect(await catalog().generations.publish({ runId: "a-1", generation: "a-1", live: null }, 2001)).toBe(false);
      expect(await defaultVersion(catalog(), "a")).toMatchObject({
        openRun: { runId: "a-2" },
        lastRun: { runId: "a-1", outcome: "superseded" },
      });
      expect((await catalog().generations.removable(2000)).map(({ id }) => id)).toEqual(["a-1"]);
    });

    it("are replaced while nothing runs, and what is live stays", async () => {
      await addLibrary(catalog(), "a", { id: "/docs/a", upload: "first" });
      await publishGeneration(catalog(), "a", 1);
      const replaced = await catalog().libraries.replaceUpload("a", { source, upload: "second" }, sampleRun("r"), 2000);
      expect(replaced).toMatchObject({ run: { runId: "r" }, superseded: null });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ live: { id: "a-1" }, openRun: { runId: "r" } });
    });

    it("are not replaced if the library is gone or redirects", async () => {
      await addLibrary(catalog(), "a", { id: "/docs/a", upload: "first" });
      await publishGeneration(catalog(), "a", 1);
      await catalog().libraries.update("a", { redirect: "/docs/b" });
      for (const uid of ["a", "nobody"])
        expect(
          await catalog().libraries.replaceUpload(uid, { source, upload: "second" }, sampleRun(`${uid}-r`), 2000),
        ).toBeUndefined();
      expect(await catalog().libraries.get("a")).toMatchObject({ upload: "first" });
      expect(await catalog().runs.openRuns()).toEqual([]);
    });

    it("replaced by ten at once leave one open run and the file of the last", async () => {
      await addLibrary(catalog(), "a", { id: "/docs/a", upload: "first" });
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          catalog().libraries.replaceUpload("a", { source, upload: `file-${n}` }, sampleRun(`r-${n}`), 2000 + n),
        ),
      );
      const superseded = new Set(results.map((result) => result?.superseded?.runId));
      const [open, ...others] = await catalog().runs.openRuns();
      expect(others).toEqual([]);
      expect(superseded.has(open?.runId)).toBe(false);
      expect(superseded.size).toBe(10);
      expect(await catalog().libraries.get("a")).toMatchObject({ upload: open?.runId.replace("r-", "file-") });
      expect((await defaultVersion(catalog(), "a")).openRun?.runId).toBe(open?.runId);
    });
  });
}

import { describe, expect, it } from "vitest";
import type { SourceRef } from "../../domain/source.ts";
import {
  addLibrary,
  defaultVersion,
  publishGeneration,
  sampleLibrary,
  sampleRoom,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns libraries, versions and refs. */
export function describeLibraries(catalog: CurrentCatalog): void {
  describe("finding a library", () => {
    it("compares IDs case-folded and shows them as first submitted", async () => {
      const library = await addLibrary(catalog(), "a");
      const view = await catalog().libraries.find([""], "/acme/WIDGETS", "");
      expect(view?.library).toEqual(library);
      expect(view?.versions).toEqual([""]);
      expect(await catalog().libraries.get("a")).toEqual(library);
    });

    it("takes the first teamspace that has the ID, and no other's", async () => {
      await addLibrary(catalog(), "public");
      await addLibrary(catalog(), "private", { teamspace: "team" });
      const find = async (teamspaces: readonly string[]) =>
        (await catalog().libraries.find(teamspaces, "/acme/widgets", ""))?.library.uid;
      expect(await find(["team", ""])).toBe("private");
      expect(await find(["", "team"])).toBe("public");
      expect(await find([""])).toBe("public");
      expect(await find(["other", ""])).toBe("public");
      expect(await find(["other"])).toBeUndefined();
      expect(await find([])).toBeUndefined();
    });

    it("returns the version with its live generation, open run and last run", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await catalog().runs.open("a", "", sampleRun("a-2"), 2000);
      const view = await catalog().libraries.find([""], "/acme/widgets", "");
      expect(view?.version).toMatchObject({
        libraryUid: "a",
        version: "",
        live: { id: "a-1", state: "live", counts: { pages: 1 } },
        openRun: { runId: "a-2", state: "open" },
        lastRun: { runId: "a-1", state: "closed", outcome: "published" },
      });
    });

    it("keeps versions apart whose names differ only by case, and names them all", async () => {
      await addLibrary(catalog(), "a");
      for (const version of ["v1.0.0", "V1.0.0", "release/2@x"])
        expect(await catalog().libraries.addVersion("a", version, `refs-${version}`)).toBe(true);
      await publishGeneration(catalog(), "a", 1);
      const view = await catalog().libraries.find([""], "/acme/widgets", "v1.0.0");
      expect(view?.version).toEqual({
        libraryUid: "a",
        version: "v1.0.0",
        ref: "refs-v1.0.0",
        live: null,
        openRun: null,
        lastRun: null,
        checkedRevision: null,
        followedRevision: null,
        refusedRevision: null,
        checkedAt: null,
        refreshAt: null,
        readAt: null,
        retryAt: null,
      });
      expect(view?.versions).toEqual(["", "V1.0.0", "release/2@x", "v1.0.0"]);
      const unknown = await catalog().libraries.find([""], "/acme/widgets", "v9");
      expect(unknown).toMatchObject({ library: { uid: "a" }, version: undefined });
    });
  });

  describe("adding a library", () => {
    it("adds its default version and an open run", async () => {
      const library = sampleLibrary("a");
      const result = await catalog().libraries.create(library, "develop", sampleRun("a-1", { reason: "submit" }));
      expect(result).toEqual({
        created: {
          joined: false,
          run: {
            runId: "a-1",
            libraryUid: "a",
            teamspace: "",
            libraryId: "/Acme/Widgets",
            version: "",
            reason: "submit",
            state: "open",
            phase: "queued",
            progress: {},
            outcome: null,
            failure: null,
            priority: 10,
            createdAt: 1000,
            startedAt: null,
            attempt: 1,
            lastFailure: null,
            progressAt: null,
            closedAt: null,
          },
        },
      });
      expect(await defaultVersion(catalog(), "a")).toMatchObject({ ref: "develop", openRun: { runId: "a-1" } });
    });

    it("returns the library that has the ID already, and writes nothing", async () => {
      const first = await addLibrary(catalog(), "a");
      const create = () =>
        catalog().libraries.create(sampleLibrary("b", { id: "/acme/widgets" }), null, sampleRun("b-1"));
      expect(await create()).toEqual({ exists: first });
      await publishGeneration(catalog(), "a", 1);
      expect(await create()).toEqual({ exists: first });
      expect(await catalog().libraries.get("b")).toBeUndefined();
      expect(await catalog().runs.get("b-1")).toBeUndefined();
    });
  });

  describe("changing a library", () => {
    it("changes only what is given", async () => {
      const library = await addLibrary(catalog(), "a");
      await catalog().libraries.update("a", { title: "New name", trust: 7.5, redirect: "/acme/gadgets" });
      const changed = { ...library, title: "New name", trust: 7.5, redirect: "/acme/gadgets" };
      expect(await catalog().libraries.get("a")).toEqual(changed);
      await catalog().libraries.update("a", {});
      const claims = [{ name: "@acme/widgets", manifest: "packages/core/package.json" }];
      await catalog().libraries.update("a", { claims });
      expect((await catalog().libraries.get("a"))?.claims).toEqual(claims);
      await catalog().libraries.update("a", { claims: [] });
      const chosen = { title: "New name" };
      const selection = { folders: ["guide"], excludeFolders: [], excludeFiles: null };
      await catalog().libraries.update("a", { chosen, options: { selection } });
      const chosenToo = { ...changed, chosen, source: { ...library.source, selection } };
      expect(await catalog().libraries.get("a")).toEqual(chosenToo);
      const source = { kind: "folder", path: "/srv/docs", selection } as const;
      await catalog().libraries.update("a", { source, redirect: null });
      expect(await catalog().libraries.get("a")).toEqual({ ...chosenToo, source, redirect: null });
      await catalog().libraries.update("gone", { title: "Nothing" });
    });

    it("adds a version once, and none to a library that is gone", async () => {
      await addLibrary(catalog(), "a");
      expect(await catalog().libraries.addVersion("a", "v1", "tag-1")).toBe(true);
      expect(await catalog().libraries.addVersion("a", "v1", "tag-2")).toBe(true);
      const versions = await catalog().libraries.versionsOf("a");
      expect(versions.map(({ version, ref }) => [version, ref])).toEqual([
        ["", null],
        ["v1", "tag-1"],
      ]);
      expect(await catalog().libraries.addVersion("gone", "v1", null)).toBe(false);
      expect(await catalog().libraries.versionsOf("gone")).toEqual([]);
    });

    it("replaces the version that was used longest ago, and none that is in use or being indexed", async () => {
      await addLibrary(catalog(), "a");
      const names = async () => (await catalog().libraries.versionsOf("a")).map(({ version }) => version);
      const add = (version: string, now: number, unusedSince = now) =>
        catalog().libraries.addVersion("a", version, version, sampleRoom(3, unusedSince, now));
      for (const [index, version] of ["v1", "v2", "v3"].entries()) expect(await add(version, 1000 + index)).toBe(true);
      // v1 is being indexed, and v2 was read after v3 was asked for.
      await catalog().runs.open("a", "v1", sampleRun("a-2"), 2000);
      const reads = [{ libraryUid: "a", day: "1970-01-01", reads: 1, version: "v2" }];
      await catalog().libraries.countReads(reads, 5000);
      expect(await add("v4", 6000, 900), "all were used since").toBe(false);
      expect(await names()).toEqual(["", "v1", "v2", "v3"]);
      expect(await add("v3", 6000, 900), "one that is there needs no room").toBe(true);
      expect(await add("v4", 6000, 4000)).toBe(true);
      expect(await names()).toEqual(["", "v1", "v2", "v4"]);
      expect(await add("v5", 7000, 6000)).toBe(true);
      expect(await names()).toEqual(["", "v1", "v4", "v5"]);
      expect(await add("v6", 8000, 6000), "what was just asked for stays").toBe(false);
      expect(await catalog().runs.open("a", "v2", sampleRun("a-3"), 8000)).toBeUndefined();
      expect(await catalog().libraries.addVersion("gone", "v1", "v1", sampleRoom(3, 8000))).toBe(false);
    });

    it("notes when a version was read, in milliseconds, and no other", async () => {
      await addLibrary(catalog(), "a");
      for (const version of ["v1", "v2"]) await catalog().libraries.addVersion("a", version, version);
      const read = { libraryUid: "a", day: "2026-11-21", reads: 1 };
      const now = Date.UTC(2026, 10, 21);
      await catalog().libraries.countReads([read, { ...read, version: "v2" }, { ...read, version: "v9" }], now);
      const versions = await catalog().libraries.versionsOf("a");
      expect(versions.map(({ readAt }) => readAt)).toEqual([null, null, now]);
      expect(await catalog().libraries.readsSince("a", "2026-11-21")).toBe(3);
    });

    it("replaces the kept refs as a whole, tags before branches", async () => {
      await addLibrary(catalog(), "a");
      const ref = (kind: SourceRef["kind"], name: string): SourceRef => ({ kind, name, revision: `of-${name}` });
      await catalog().libraries.keepRefs("a", [ref("branch", "main"), ref("tag", "v2"), ref("tag", "v1")]);
      expect(await catalog().libraries.refs("a")).toEqual([ref("tag", "v2"), ref("tag", "v1"), ref("branch", "main")]);
      await catalog().libraries.keepRefs("a", [ref("branch", "next")]);
      expect(await catalog().libraries.refs("a")).toEqual([ref("branch", "next")]);
    });

    it("keeps how many refs the source has besides the kept ones", async () => {
      await addLibrary(catalog(), "a");
      expect(await catalog().libraries.refsLeftOut("a")).toBe(0);
      await catalog().libraries.keepRefs("a", [], 298_000);
      expect(await catalog().libraries.refsLeftOut("a")).toBe(298_000);
      await catalog().libraries.keepRefs("a", []);
      expect(await catalog().libraries.refsLeftOut("a")).toBe(0);
    });

    it("keeps no refs of a library that is gone", async () => {
      await catalog().libraries.keepRefs("gone", [{ kind: "tag", name: "v1", revision: "r" }]);
      expect(await catalog().libraries.refs("gone")).toEqual([]);
    });
  });

  describe("listing libraries", () => {
    const names = ["/b/Two", "/A/one", "/c/under_score", "/c/percent100", "/d/öl"];
    const fill = async () => {
      for (const [index, id] of names.entries())
        await addLibrary(catalog(), `u${index}`, { id, title: id === "/d/öl" ? "Ölfarben" : `Title of ${id}` });
    };

    it("goes by folded ID, page by page, without gap or repeat", async () => {
      await fill();
      await addLibrary(catalog(), "mine", { id: "/b/two", teamspace: "team" });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await catalog().libraries.list({
          teamspaces: ["team", ""],
          limit: 2,
          ...(cursor !== null && { cursor }),
        });
        expect(page.total).toBe(6);
        expect(page.items.length).toBeLessThanOrEqual(2);
        seen.push(...page.items.map(({ library }) => library.id));
        cursor = page.next;
      } while (cursor !== null);
      expect(seen).toEqual(["/A/one", "/b/Two", "/b/two", "/c/percent100", "/c/under_score", "/d/öl"]);
    });

    it("finds part of an ID or title in any case, and takes wildcards literally", async () => {
      await fill();
      const list = async (contains: string) => {
        const { items, total } = await catalog().libraries.list({ teamspaces: [""], contains, limit: 10 });
        expect(total).toBe(items.length);
        return items.map(({ library }) => library.id);
      };
      expect(await list("TWO")).toEqual(["/b/Two"]);
      expect(await list("title OF /a")).toEqual(["/A/one"]);
      expect(await list("ÖLF")).toEqual(["/d/öl"]);
      expect(await list("_")).toEqual(["/c/under_score"]);
      expect(await list("%")).toEqual([]);
      expect(await list("\\")).toEqual([]);
      expect(await list("")).toHaveLength(names.length);
    });

    it("applies a key's patterns before it counts and cuts into pages", async () => {
      await fill();
      const list = async (patterns: readonly string[], limit = 10) => {
        const { items, total, next } = await catalog().libraries.list({ teamspaces: [""], patterns, limit });
        expect(total).toBe(limit === 10 ? items.length : 2);
        return { ids: items.map(({ library }) => library.id), next };
      };
      expect((await list(["/C/*", "/a/ONE"])).ids).toEqual(["/A/one", "/c/percent100", "/c/under_score"]);
      expect((await list(["*o*e"])).ids).toEqual(["/A/one", "/c/under_score"]);
      expect((await list(["/c/under_*", "/c/under*score"])).ids).toEqual(["/c/under_score"]);
      expect((await list(["/c/underxscore", "/c/%", "/_/two", "\\*"])).ids).toEqual([]);
      expect((await list(["/d/Ö*"])).ids).toEqual(["/d/öl"]);
      expect((await list(["*"])).ids).toHaveLength(names.length);
      expect((await list(["/a/*", "/b/*"], 2)).next).toBeNull();
    });

    it("shows the default version of each, and only what the teamspaces own", async () => {
      await addLibrary(catalog(), "a");
      await addLibrary(catalog(), "b", { teamspace: "other" });
      await publishGeneration(catalog(), "a", 1);
      await catalog().libraries.addVersion("a", "v1", null);
      const { items, total, next } = await catalog().libraries.list({ teamspaces: ["team", ""], limit: 5 });
      expect({ total, next }).toEqual({ total: 1, next: null });
      expect(items).toMatchObject([
        { library: { uid: "a" }, version: { version: "", live: { id: "a-1" } }, versions: ["", "v1"] },
      ]);
      expect((await catalog().libraries.list({ teamspaces: [], limit: 5 })).items).toEqual([]);
    });

    it("refuses a cursor that it did not give out", async () => {
      for (const cursor of [
        "garbage",
        Buffer.from("[1]").toString("base64url"),
        Buffer.from("{}").toString("base64url"),
      ])
        await expect(catalog().libraries.list({ teamspaces: [""], limit: 5, cursor })).rejects.toMatchObject({
          code: "validation_error",
        });
    });
  });
}

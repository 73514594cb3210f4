import { describe, expect, it } from "vitest";
import {
  addLibrary,
  addTeamspace,
  defaultVersion,
  addressOf,
  publishGeneration,
  sampleCredential,
  sampleKey,
  sampleLibrary,
  sampleRoom,
  sampleRun,
  sourceAt,
  type CurrentCatalog,
} from "./catalog-samples.ts";

const [widgets, gadgets] = ["widgets", "gadgets"].map(addressOf) as [string, string];
const toGadgets = { from: widgets, to: gadgets, id: "/Acme/Gadgets" };

/** The part of the Catalog contract that concerns renamed repositories and redirects. */
export function describeMoves(catalog: CurrentCatalog): void {
  const find = async (id: string, version = "", teamspaces: readonly string[] = [""]) =>
    catalog().libraries.find(teamspaces, id, version);
  const move = async (uid: string, changes: Partial<typeof toGadgets> | { id: null } = {}) =>
    catalog().libraries.move(uid, { ...toGadgets, ...changes }, 9000);
  const addKey = async (id: string, libraries: readonly string[]) =>
    catalog().keys.add(sampleKey(id, { teamspace: "team", libraries }));

  describe("a repository that was renamed", () => {
    it("moves its library with all its data, and the old ID redirects", async () => {
      await catalog().credentials.add(sampleCredential("c1"));
      const library = await addLibrary(catalog(), "a", { credential: "c1", trust: 3, chosen: { title: "Mine" } });
      await publishGeneration(catalog(), "a", 1);
      await catalog().libraries.addVersion("a", "v1", "v1");
      await catalog().libraries.keepRefs("a", [{ kind: "tag", name: "v1", revision: "r" }]);
      await catalog().libraries.countReads([{ libraryUid: "a", day: "2026-11-21", reads: 4 }], Date.UTC(2026, 10, 21));
      await catalog().libraries.setRefreshAt("a", "", 50);
      const moved = { ...library, id: "/Acme/Gadgets", source: sourceAt(gadgets) };
      expect(await move("a")).toEqual(moved);
      const view = await find("/acme/gadgets");
      expect(view).toMatchObject({ library: moved, version: { live: { id: "a-1" } }, versions: ["", "v1"] });
      expect(await catalog().libraries.get("a")).toEqual(moved);
      expect(await catalog().libraries.refs("a")).toHaveLength(1);
      expect(await catalog().libraries.readsSince("a", "2026-01-01")).toBe(4);
      expect((await catalog().libraries.dueRefreshes(100, 5)).map(({ library: { id } }) => id)).toEqual([moved.id]);
      expect(await find("/acme/widgets", "v1")).toMatchObject({
        library: { id: "/Acme/Widgets", redirect: "/Acme/Gadgets", credential: null },
        version: undefined,
        versions: [],
      });
    });

    it("is recorded once, and not if the library has another address by now or is gone", async () => {
      await addLibrary(catalog(), "a");
      const moved = await move("a");
      expect(await move("a", { to: `${gadgets}-again`, id: "/acme/again" })).toEqual(moved);
      expect((await catalog().libraries.list({ teamspaces: [""], limit: 5 })).total).toBe(2);
      await catalog().libraries.remove("a", 9500);
      expect(await move("a")).toBeUndefined();
    });

    it("changes no ID that was chosen", async () => {
      const library = await addLibrary(catalog(), "a", { id: "/my/own" });
      expect(await move("a", { id: null })).toEqual({ ...library, source: sourceAt(gadgets) });
      expect((await catalog().libraries.list({ teamspaces: [""], limit: 5 })).total).toBe(1);
    });

    it("redirects in one step however often it is renamed, and back again", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      const tools = "https://git.example.com/acme/tools";
      await move("a");
      await move("a", { from: gadgets, to: tools, id: "/acme/tools" });
      for (const id of ["/acme/widgets", "/acme/gadgets"])
        expect((await find(id))?.library.redirect, id).toBe("/acme/tools");
      await move("a", { from: tools, to: widgets, id: "/acme/widgets" });
      expect(await find("/acme/widgets")).toMatchObject({ library: { uid: "a", redirect: null } });
      for (const id of ["/acme/gadgets", "/acme/tools"])
        expect((await find(id))?.library.redirect, id).toBe("/acme/widgets");
    });

    it("lets its old name go to a new library, and the moved one stays", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await move("a");
      const create = async (replaces?: string) =>
        catalog().libraries.create(
          sampleLibrary("b"),
          null,
          sampleRun("b-1"),
          replaces === undefined ? {} : { replaces },
        );
      const left = await create();
      if (!("exists" in left)) throw new Error("The old name was free.");
      expect(left).toMatchObject({ exists: { redirect: "/Acme/Gadgets" }, idle: { since: null } });
      expect(await create(left.exists.uid)).toHaveProperty("created");
      expect(await find("/acme/widgets")).toMatchObject({ library: { uid: "b", redirect: null }, versions: [""] });
      expect(await find("/acme/gadgets")).toMatchObject({ library: { uid: "a" }, version: { live: { id: "a-1" } } });
    });

    it("keeps its ID if the new one is another library's, and loses nothing", async () => {
      for (const [uid, id] of [
        ["a", "/Acme/Widgets"],
        ["b", "/acme/gadgets"],
      ] as const) {
        await addLibrary(catalog(), uid, { id });
        await publishGeneration(catalog(), uid, 1);
      }
      expect(await move("a")).toMatchObject({
        id: "/Acme/Widgets",
        redirect: null,
        source: { url: gadgets },
        pendingRename: { id: "/Acme/Gadgets", reason: "taken", since: 9000 },
      });
      expect(await find("/acme/widgets")).toMatchObject({ version: { live: { id: "a-1" } } });
      expect(await find("/acme/gadgets")).toMatchObject({ library: { uid: "b" }, version: { live: { id: "b-1" } } });
    });

    it("stays in its teamspace, and its redirect hides no public library", async () => {
      await addLibrary(catalog(), "private", { teamspace: "default" });
      expect(await move("private")).toMatchObject({ id: "/Acme/Gadgets" });
      await addLibrary(catalog(), "public", { id: "/acme/gadgets" });
      expect((await find("/acme/gadgets", "", ["default", ""]))?.library.uid).toBe("private");
      expect((await find("/acme/gadgets"))?.library.uid).toBe("public");
      expect(await find("/acme/widgets", "", ["default", ""])).toMatchObject({
        library: { redirect: "/Acme/Gadgets" },
      });
      expect(await find("/acme/widgets")).toBeUndefined();
      await addLibrary(catalog(), "new");
      expect((await find("/acme/widgets", "", ["default", ""]))?.library.uid).toBe("new");
    });

    it("changes no key, not even one limited to the old ID", async () => {
      await addTeamspace(catalog(), "team");
      await addKey("name", ["/x/y", "/ACME/Widgets"]);
      await addKey("pattern", ["/acme/w*"]);
      await addKey("all", []);
      const before = await catalog().keys.list("team");
      await addLibrary(catalog(), "a");
      expect(await move("a")).toMatchObject({ id: "/Acme/Gadgets" });
      expect(await catalog().keys.list("team")).toEqual(before);
    });

    it("goes on with the run that noticed it", async () => {
      await addLibrary(catalog(), "a");
      await move("a");
      expect((await defaultVersion(catalog(), "a")).openRun).toMatchObject({
        runId: "a-1",
        libraryId: "/Acme/Widgets",
        state: "open",
      });
      await catalog().runs.close("a-1", { outcome: "failed" }, 9500);
      const opened = await catalog().runs.open("a", "", sampleRun("a-2"), 9600);
      expect(opened?.run.libraryId).toBe("/Acme/Gadgets");
    });

    it("is forgotten with its library, and so are all redirects to it", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await move("a");
      await addLibrary(catalog(), "kept", { id: "/acme/kept" });
      await publishGeneration(catalog(), "kept", 1);
      await catalog().libraries.update("kept", { redirect: "/Acme/Gadgets" });
      await catalog().libraries.remove("a", 9500);
      const { items } = await catalog().libraries.list({ teamspaces: [""], limit: 5 });
      expect(items.map(({ library }) => library.id)).toEqual(["/acme/kept"]);
    });
  });

  describe("a library that redirects", () => {
    it("has earlier redirects follow it, and is not refreshed any more", async () => {
      await addLibrary(catalog(), "a");
      await publishGeneration(catalog(), "a", 1);
      await move("a");
      await catalog().libraries.addVersion("a", "v1", "v1", sampleRoom(5, 1));
      for (const version of ["", "v1"]) await catalog().libraries.setRefreshAt("a", version, 10);
      await catalog().libraries.update("a", { redirect: "/acme/other" });
      expect((await find("/acme/widgets"))?.library.redirect).toBe("/acme/other");
      await catalog().libraries.setRefreshAt("a", "", 20);
      const planned = async () => (await catalog().libraries.versionsOf("a")).map(({ refreshAt }) => refreshAt);
      expect(await planned()).toEqual([null, null]);
      expect(await catalog().libraries.dueRefreshes(100, 5)).toEqual([]);
      await catalog().libraries.update("a", { redirect: null });
      await catalog().libraries.setRefreshAt("a", "", 20);
      expect(await planned()).toEqual([20, null]);
    });
  });
}

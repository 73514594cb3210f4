import { describe, expect, it } from "vitest";
import type { LibraryRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  addTeamspace,
  publishGeneration,
  sampleCredential,
  sampleHook,
  sampleKey,
  sampleLibrary,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

/** The part of the Catalog contract that concerns credentials, shared and of libraries' own. */
export function describeCredentials(catalog: CurrentCatalog): void {
  const own = (id: string) => sampleCredential(id, { teamspace: "", name: "" });
  const addWithOwn = async (uid: string, id: string, changes: Partial<LibraryRecord> = {}) => {
    const library = sampleLibrary(uid, { id: `/acme/${uid}`, credential: id, ...changes });
    return catalog().libraries.create(library, null, sampleRun(`${uid}-1`), { own: own(id) });
  };
  const missing = { name: "Failure", code: "credential_not_found" };

  describe("a shared credential", () => {
    it("is found by its ID, and listed with the others of its teamspace", async () => {
      await addTeamspace(catalog(), "web");
      const [ci, bot] = [
        sampleCredential("c2", { name: "ci", tenant: "acme" }),
        sampleCredential("c1", { name: "bot" }),
      ];
      for (const one of [ci, bot, sampleCredential("c3", { teamspace: "web" })])
        expect(await catalog().credentials.add(one)).toBe("added");
      await addWithOwn("a", "c4", { teamspace: "default" });
      expect(await catalog().credentials.list("default")).toEqual([bot, ci]);
      expect(await catalog().credentials.get("c2")).toEqual(ci);
      expect(await catalog().credentials.get("c4")).toEqual(own("c4"));
      expect((await catalog().credentials.all()).map(({ id }) => id)).toEqual(["c4", "c1", "c2", "c3"]);
      expect(await catalog().credentials.get("none")).toBeUndefined();
    });

    it("is encrypted again, like hooks and a library's own, unless its text is to stay", async () => {
      await catalog().credentials.add(sampleCredential("c1", { sealed: "old.c1" }));
      await addWithOwn("a", "c2");
      await catalog().hooks.add(sampleHook("h1", { sealed: "old.h1" }));
      const renew = (sealed: string) => (sealed.startsWith("old.") ? `new.${sealed.slice(4)}` : undefined);
      expect(await catalog().credentials.reseal(renew)).toBe(2);
      expect(await catalog().credentials.get("c1")).toMatchObject({ sealed: "new.c1" });
      expect(await catalog().credentials.get("c2")).toEqual(own("c2"));
      expect(await catalog().hooks.get("h1")).toMatchObject({ sealed: "new.h1" });
      expect(await catalog().credentials.reseal(renew)).toBe(0);
    });

    it("has a name that is unique in its teamspace and kind", async () => {
      await addTeamspace(catalog(), "web");
      const add = async (id: string, teamspace: string) =>
        catalog().credentials.add(sampleCredential(id, { teamspace, name: "ci" }));
      expect(await add("c1", "default")).toBe("added");
      expect(await add("c2", "default")).toBe("duplicate");
      expect(await catalog().credentials.get("c2")).toBeUndefined();
      expect(await add("c3", "web")).toBe("added");
      await catalog().credentials.remove("c1");
      expect(await add("c2", "default")).toBe("added");
    });

    it("is not added to a missing teamspace, and is removed with its teamspace", async () => {
      const credential = sampleCredential("c1", { teamspace: "web" });
      expect(await catalog().credentials.add(credential)).toBe("no_teamspace");
      await addTeamspace(catalog(), "web");
      await catalog().keys.add(sampleKey("k1", { teamspace: "web" }));
      expect(await catalog().credentials.add(credential)).toBe("added");
      await catalog().teamspaces.remove("web");
      expect(await catalog().credentials.get("c1")).toEqual(credential);
      await catalog().keys.revoke("web", "k1", 50);
      await catalog().teamspaces.remove("web");
      expect(await catalog().credentials.get("c1")).toBeUndefined();
    });

    it("stays when libraries that use it are removed, and can be removed once none does", async () => {
      await catalog().credentials.add(sampleCredential("c1"));
      const a = await addLibrary(catalog(), "a", { id: "/acme/a", credential: "c1" });
      const b = await addLibrary(catalog(), "b", { id: "/acme/b", credential: "c1" });
      expect(await catalog().libraries.usersOf(["c1", "none"])).toEqual([a, b]);
      expect(await catalog().credentials.remove("c1")).toBe(2);
      await catalog().libraries.remove("a", 60);
      expect(await catalog().libraries.usersOf(["c1"])).toEqual([b]);
      expect(await catalog().credentials.remove("c1")).toBe(1);
      await catalog().libraries.remove("b", 60);
      expect(await catalog().credentials.get("c1")).toEqual(sampleCredential("c1"));
      expect(await catalog().credentials.remove("c1")).toBe(0);
      expect(await catalog().credentials.get("c1")).toBeUndefined();
      expect(await catalog().credentials.remove("c1")).toBeUndefined();
      expect(await catalog().libraries.usersOf([])).toEqual([]);
    });

    it("cannot be used once it is removed, and the library stays as it was", async () => {
      const library = sampleLibrary("a", { credential: "gone" });
      await expect(catalog().libraries.create(library, null, sampleRun("a-1"))).rejects.toMatchObject(missing);
      expect(await catalog().libraries.get("a")).toBeUndefined();
      await addWithOwn("b", "c1");
      await addWithOwn("c", "c2");
      // c2 is another library's own.
      for (const shared of ["gone", "c2"])
        await expect(catalog().libraries.useCredential("b", { shared })).rejects.toMatchObject(missing);
      expect((await catalog().libraries.get("b"))?.credential).toBe("c1");
      expect(await catalog().credentials.get("c1")).toEqual(own("c1"));
    });
  });

  describe("a library's own credential", () => {
    it("is neither listed nor removed as a shared one, and is removed with the library", async () => {
      await addWithOwn("a", "c1");
      expect(await catalog().credentials.list("")).toEqual([]);
      expect(await catalog().credentials.remove("c1")).toBeUndefined();
      expect(await catalog().credentials.get("c1")).toEqual(own("c1"));
      await catalog().libraries.remove("a", 60);
      expect(await catalog().credentials.get("c1")).toBeUndefined();
    });

    it("is not kept for a library that was not added", async () => {
      await addLibrary(catalog(), "a", { id: "/acme/a" });
      expect(await addWithOwn("b", "c1", { id: "/acme/a" })).toMatchObject({ exists: { uid: "a" } });
      expect(await catalog().credentials.get("c1")).toBeUndefined();
    });

    it("is replaced by another, but not in a removed library", async () => {
      await catalog().credentials.add(sampleCredential("shared"));
      await addWithOwn("a", "c1");
      await publishGeneration(catalog(), "a", 1);
      const used = async () => (await catalog().libraries.get("a"))?.credential;
      const kept = async () => {
        const credentials = await Promise.all(["c1", "c2", "c3", "shared"].map((id) => catalog().credentials.get(id)));
        return credentials.flatMap((credential) => credential?.id ?? []);
      };
      await catalog().libraries.useCredential("a", { own: own("c2") });
      expect([await used(), await kept()]).toEqual(["c2", ["c2", "shared"]]);
      await catalog().libraries.useCredential("a", { shared: "shared" });
      expect([await used(), await kept()]).toEqual(["shared", ["shared"]]);
      await catalog().libraries.useCredential("a", { shared: "shared" });
      await catalog().libraries.useCredential("a", { own: own("c3") });
      expect([await used(), await kept()]).toEqual(["c3", ["c3", "shared"]]);
      await catalog().libraries.remove("a", 60);
      await catalog().libraries.useCredential("a", { own: own("c1") });
      expect(await kept()).toEqual(["shared"]);
    });
  });
}

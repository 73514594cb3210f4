import { describe, expect, it } from "vitest";
import type { KeyRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  addTeamspace,
  sampleKey,
  sampleLibrary,
  sampleRun,
  type CurrentCatalog,
} from "./catalog-samples.ts";

const key: KeyRecord = {
  id: "k1",
  teamspace: "default",
  name: "build server",
  hash: "a".repeat(64),
  hint: "lec_abc",
  scopes: ["read", "submit"],
  libraries: ["/acme/*"],
  createdAt: 10,
  expiresAt: 99,
  revokedAt: null,
};

/** The part of the Catalog contract that concerns teamspaces and keys. */
export function describeAccess(catalog: CurrentCatalog): void {
  describe("teamspaces", () => {
    const ids = async () => (await catalog().teamspaces.list()).map(({ id }) => id);

    it("are listed by ID, the default one among them from the start", async () => {
      expect(await catalog().teamspaces.list()).toMatchObject([{ id: "default", title: "default" }]);
      const web = { id: "a-web", title: "Web", createdAt: 7 };
      expect(await catalog().teamspaces.add(web)).toBe(true);
      expect(await catalog().teamspaces.add({ ...web, title: "Other" })).toBe(false);
      expect(await catalog().teamspaces.list()).toMatchObject([web, { id: "default" }]);
    });

    it("are removed with their revoked keys, once they have no library and no other key", async () => {
      await addLibrary(catalog(), "a", { teamspace: "web" });
      await catalog().keys.add(sampleKey("k1", { teamspace: "web" }));
      await catalog().keys.add(sampleKey("k2"));
      expect(await catalog().teamspaces.remove("web")).toEqual({ libraries: 1, keys: 1 });
      await catalog().keys.revoke("web", "k1", 50);
      expect(await catalog().teamspaces.remove("web")).toEqual({ libraries: 1, keys: 0 });
      await catalog().libraries.remove("a", 60);
      expect(await ids()).toEqual(["default", "web"]);
      expect(await catalog().teamspaces.remove("web")).toEqual({ libraries: 0, keys: 0 });
      expect(await ids()).toEqual(["default"]);
      expect(await catalog().keys.get("k1")).toBeUndefined();
      expect(await catalog().keys.get("k2")).toBeDefined();
      expect(await catalog().teamspaces.remove("web")).toBeUndefined();
    });

    it("have a policy and rules, and a new revision with every change", async () => {
      const { teamspaces } = catalog();
      const none = { revision: 0, policy: null, rules: null };
      for (const id of ["default", "nobody"])
        expect([await teamspaces.access(id), await teamspaces.revision(id)]).toEqual([none, 0]);
      const policy = { mode: "select", select: { allowedLibraries: ["/a/b"] } } as const;
      const first = await teamspaces.changeAccess("default", () => ({ policy }), 1000);
      expect(first).toEqual({ revision: 1000, policy, rules: null });
      const rules = { global: ["Be short."], libraries: {} };
      const second = await teamspaces.changeAccess("default", (before) => ({ ...before, rules }), 900);
      expect(second).toEqual({ revision: 1001, policy, rules });
      expect(await teamspaces.changeAccess("default", () => ({ rules }), 2000)).toEqual(second);
      expect([await teamspaces.access("default"), await teamspaces.revision("default")]).toEqual([second, 1001]);
      const refusing = teamspaces.changeAccess("default", () => raise("no"), 3000);
      await expect(refusing).rejects.toThrow("no");
      expect(await teamspaces.access("default")).toEqual(second);
      expect(await teamspaces.changeAccess("nobody", () => ({ rules }), 1)).toBeUndefined();
      // A teamspace that is created again does not reuse revisions.
      await addTeamspace(catalog(), "web");
      await teamspaces.changeAccess("web", () => ({ rules }), 5000);
      await teamspaces.remove("web");
      await addTeamspace(catalog(), "web");
      expect(await teamspaces.access("web")).toEqual(none);
      expect(await teamspaces.changeAccess("web", () => ({ rules }), 6000)).toMatchObject({ revision: 6000 });
    });

    it("lose none of many changes made at once", async () => {
      const add = (name: string) =>
        catalog().teamspaces.changeAccess(
          "default",
          ({ rules }) => ({ rules: { global: [...(rules?.global ?? []), name], libraries: {} } }),
          1,
        );
      const names = Array.from({ length: 12 }, (_, at) => `rule ${at}`);
      const changed = await Promise.all(names.map(add));
      const { rules } = await catalog().teamspaces.access("default");
      expect(rules?.global.toSorted()).toEqual(names.toSorted());
      expect(new Set(changed.map((one) => one?.revision)).size).toBe(names.length);
    });

    it("have a revision that is read with each library", async () => {
      await addLibrary(catalog(), "a");
      await catalog().teamspaces.changeAccess("default", () => ({ policy: { mode: "select" } }), 1000);
      const revision = async (judging?: string) =>
        (await catalog().libraries.find([""], "/acme/widgets", "", judging))?.accessRevision;
      expect([await revision("default"), await revision("web"), await revision()]).toEqual([1000, 0, undefined]);
    });

    it("take no private library once they are removed", async () => {
      const library = sampleLibrary("a", { teamspace: "gone" });
      await expect(catalog().libraries.create(library, null, sampleRun("a-1"))).rejects.toMatchObject({
        code: "validation_error",
      });
      expect(await catalog().libraries.get("a")).toBeUndefined();
    });

    it("are either removed or get a key when both happen at once", async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = `team-${round}`;
        await addTeamspace(catalog(), id);
        const add = async () => catalog().keys.add(sampleKey(id, { teamspace: id }));
        const remove = async () => catalog().teamspaces.remove(id);
        const [added, removed] = await Promise.all([add(), remove()]);
        expect(removed).toEqual({ libraries: 0, keys: added ? 1 : 0 });
        expect((await ids()).includes(id)).toBe(added);
      }
    });
  });

  describe("keys", () => {
    it("finds a key by its hash, with all that was added", async () => {
      await catalog().keys.add(key);
      expect(await catalog().keys.findByHash(key.hash)).toEqual(key);
      expect(await catalog().keys.findByHash("b".repeat(64))).toBeUndefined();
      expect(await catalog().keys.get("k1")).toEqual(key);
      expect(await catalog().keys.get("k2")).toBeUndefined();
    });

    it("adds no key to a missing teamspace", async () => {
      expect(await catalog().keys.add({ ...key, teamspace: "nobody" })).toBe(false);
      expect(await catalog().keys.get("k1")).toBeUndefined();
      expect(await catalog().keys.add(key)).toBe(true);
    });

    it("refuses a second key of the same hash", async () => {
      await catalog().keys.add(key);
      await expect(catalog().keys.add({ ...key, id: "k2" })).rejects.toThrow(/unique/i);
    });

    it("lists the keys of one teamspace, the oldest first", async () => {
      const later = { ...key, id: "k0", hash: "c", createdAt: 20 };
      await catalog().keys.add(later);
      await catalog().keys.add(key);
      await addTeamspace(catalog(), "other");
      await catalog().keys.add({ ...key, id: "k3", hash: "d", teamspace: "other" });
      expect(await catalog().keys.list("default")).toEqual([key, later]);
    });

    it("revokes a key of the teamspace only, and keeps the time of the first revocation", async () => {
      await catalog().keys.add(key);
      expect(await catalog().keys.revoke("other", "k1", 50)).toBe(false);
      expect(await catalog().keys.findByHash(key.hash)).toEqual(key);
      expect(await catalog().keys.revoke("default", "k1", 50)).toBe(true);
      expect(await catalog().keys.revoke("default", "k1", 60)).toBe(true);
      expect(await catalog().keys.findByHash(key.hash)).toEqual({ ...key, revokedAt: 50 });
      expect(await catalog().keys.revoke("default", "none", 50)).toBe(false);
    });
  });
}

function raise(message: string): never {
  throw new Error(message);
}

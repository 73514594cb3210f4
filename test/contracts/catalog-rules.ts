import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isReached, maxAccessRules, toReachTable, type AccessRule } from "../../domain/access.ts";
import { addressOf, addLibrary, addTeamspace, sampleKey, type CurrentCatalog } from "./catalog-samples.ts";

const rule = (library: string, groups: readonly string[] = [], users: readonly string[] = []): AccessRule => ({
  library,
  users,
  groups,
});

/** The part of the Catalog contract that concerns who reads what, and what groups of the issuer may do. */
export function describeRules(catalog: CurrentCatalog): void {
  const access = () => catalog().access;
  const rulesOf = async (teamspace: string) => [...((await access().rules(teamspace))?.rules.values() ?? [])];

  describe("access rules", () => {
    it("are empty at first, and everything is open", async () => {
      expect(await access().rules("default")).toMatchObject({ otherwise: "allow", rules: new Map() });
      expect(await access().rules("nobody")).toBeUndefined();
      expect(await access().change("nobody", { otherwise: "deny" })).toBeUndefined();
    });

    it("are set, replaced and removed by library, whatever its case, for one teamspace alone", async () => {
      await addTeamspace(catalog(), "web");
      await access().change("web", { set: [rule("/Acme"), rule("/acme/widgets", ["a"])] });
      await access().change("web", {
        set: [rule("/acme", ["b"], ["u"]), rule("/b"), rule("/B", ["c"])],
        otherwise: "deny",
      });
      expect(await rulesOf("web")).toEqual([
        rule("/acme", ["b"], ["u"]),
        rule("/acme/widgets", ["a"]),
        rule("/B", ["c"]),
      ]);
      await access().change("web", { set: [rule("/z")], remove: ["/ACME/widgets", "/b", "/none"] });
      expect(await rulesOf("web")).toEqual([rule("/acme", ["b"], ["u"]), rule("/z")]);
      expect((await access().rules("web"))?.otherwise).toBe("deny");
      expect(await rulesOf("default")).toEqual([]);
    });

    it("have a new revision after every change, and are not read again without one", async () => {
      const first = await access().rules("default");
      expect(await access().rules("default", first)).toBe(first);
      const changed = await access().change("default", { otherwise: "deny" });
      expect(changed?.revision).not.toBe(first?.revision);
      expect(await access().rules("default", first)).toEqual(changed);
    });

    it("are limited in number, and all of them apply to a list", async () => {
      const many = Array.from({ length: maxAccessRules }, (_, at) => rule(`/n-${at}`));
      await access().change("default", { set: many });
      await expect(access().change("default", { set: [rule("/one-more")] })).rejects.toMatchObject({
        code: "validation_error",
      });
      expect(await rulesOf("default")).toHaveLength(maxAccessRules);
      await addLibrary(catalog(), "a", { id: "/n-7/x" });
      await addLibrary(catalog(), "b", { id: "/o/x" });
      const known = await access().rules("default");
      const reach = known && toReachTable({ access: known, user: undefined, groups: [] });
      const { items } = await catalog().libraries.list({ teamspaces: [""], limit: 10, ...(reach && { reach }) });
      expect(items.map(({ library }) => library.id)).toEqual(["/o/x"]);
    });

    it("lose no change of several made at once", async () => {
      await Promise.all(Array.from({ length: 8 }, (_, at) => access().change("default", { set: [rule(`/n-${at}`)] })));
      expect(await rulesOf("default")).toHaveLength(8);
    });

    it("hide from lists exactly what they hide from reads", async () => {
      const ids = ["/a/x", "/a/y", "/A-b/x", "/a0/x", "/npm/left", "/npm/@a/x", "/npm/@a/y", "/b_/x", "/bc/x", "/%/x"];
      for (const [at, id] of ids.entries()) await addLibrary(catalog(), `u-${at}`, { id });
      const places = fc.constantFrom(...ids, "/a", "/A", "/npm", "/npm/@a", "/b_", "/%", "/a-b");
      const groups = fc.subarray(["g", "h"]);
      const arbitrary = fc.record({
        set: fc.array(fc.record({ library: places, groups, users: fc.subarray(["u"]) }), { maxLength: 6 }),
        otherwise: fc.constantFrom("allow" as const, "deny" as const),
        user: fc.constantFrom("u", "v", undefined),
        groups,
      });
      await fc.assert(
        fc.asyncProperty(arbitrary, async ({ set, otherwise, ...caller }) => {
          const remove = await rulesOf("default");
          const known = await access().change("default", {
            set,
            otherwise,
            remove: remove.map(({ library }) => library),
          });
          if (!known) throw new Error("There is no default teamspace.");
          const reach = { access: known, ...caller };
          const table = toReachTable(reach);
          const { items, total } = await catalog().libraries.list({
            teamspaces: [""],
            limit: 100,
            ...(table && { reach: table }),
          });
          const seen = ids.filter((id) => isReached(reach, id));
          expect(items.map(({ library }) => library.id).sort()).toEqual(seen.sort());
          expect(Number(total)).toBe(seen.length);
        }),
        { numRuns: 60 },
      );
    });

    it("are removed with their teamspace", async () => {
      await addTeamspace(catalog(), "web");
      const before = await access().change("web", { set: [rule("/a")] });
      await access().grant({ group: "g", teamspace: "web", scope: "read", createdAt: 1 });
      await catalog().teamspaces.remove("web");
      expect(await access().grants()).toEqual([]);
      await catalog().teamspaces.add({ id: "web", title: "Web", createdAt: 77 });
      expect(await rulesOf("web")).toEqual([]);
      const again = await access().change("web", { set: [rule("/b")] });
      expect(again?.revision).not.toBe(before?.revision);
    });
  });

  describe("a rename on the host", () => {
    const move = async (id: string) =>
      catalog().libraries.move("a", { from: addressOf("widgets"), to: addressOf("moved"), id }, 9);

    it("waits if rules let others read the new ID, for a public library those of any teamspace", async () => {
      await addLibrary(catalog(), "a", { id: "/acme/widgets" });
      await addTeamspace(catalog(), "web");
      await access().change("web", { set: [rule("/acme", ["staff"])] });
      expect(await move("/other/moved")).toMatchObject({
        id: "/acme/widgets",
        pendingRename: { id: "/other/moved", reason: "rules" },
      });
    });

    it("is done if the same rule covers both IDs, or rules are for other libraries", async () => {
      await addLibrary(catalog(), "a", { id: "/acme/widgets" });
      await access().change("default", { set: [rule("/acme", ["staff"]), rule("/other", ["staff"])] });
      expect(await move("/acme/moved")).toMatchObject({ id: "/acme/moved", pendingRename: null });
    });
  });

  describe("groups of the issuer", () => {
    const grant = (group: string, teamspace: string, scope: "read" | "submit", createdAt: number) =>
      access().grant({ group, teamspace, scope, createdAt });

    it("have rights in existing teamspaces, the oldest first", async () => {
      await addTeamspace(catalog(), "web");
      expect(await grant("b", "default", "read", 1)).toBe(true);
      expect(await grant("a", "default", "read", 2)).toBe(true);
      expect(await grant("a", "web", "read", 3)).toBe(true);
      expect(await grant("a", "nobody", "read", 3)).toBe(false);
      expect(await grant("b", "default", "submit", 9)).toBe(true);
      const all = await access().grants();
      expect(all.map(({ group, teamspace, scope }) => [group, teamspace, scope])).toEqual([
        ["b", "default", "submit"],
        ["a", "default", "read"],
        ["a", "web", "read"],
      ]);
      expect(await access().grants(["a", "x"])).toEqual(all.slice(1));
      expect(await access().grants([])).toEqual([]);
      expect(await access().withdraw("a", "default")).toBe(true);
      expect(await access().withdraw("a", "default")).toBe(false);
      expect(await access().grants(["a"])).toEqual(all.slice(2));
    });
  });

  it("keeps the user and the groups that a key names", async () => {
    const named = sampleKey("k9", { subject: "ann", groups: ["staff", "web"] });
    await catalog().keys.add(named);
    expect(await catalog().keys.get("k9")).toEqual(named);
  });
}

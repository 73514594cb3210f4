import { describe, expect, it } from "vitest";
import type { LibraryView, Listing } from "../../domain/ports.ts";
import { addLibrary, publishGeneration, type CurrentCatalog } from "./catalog-samples.ts";

/** The part of the Catalog contract that lets policies judge many libraries. */
export function describeFacets(catalog: CurrentCatalog): void {
  describe("judging libraries", () => {
    it("lists only what is accepted, and judges by what is served", async () => {
      for (const id of ["/a/one", "/A/two", "/c/three", "/c/four", "/d/öl"]) await addLibrary(catalog(), id, { id });
      await addLibrary(catalog(), "served", { id: "/b/served", trust: 7 });
      await publishGeneration(catalog(), "served", 1);
      await catalog().libraries.update("served", { licences: [["MIT", "ISC"]] });
      const all = await catalog().libraries.facets({ teamspaces: [""] });
      expect(all.map(({ id }) => id)).toEqual(
        (await catalog().libraries.list({ teamspaces: [""], limit: 50 })).items.map(({ library }) => library.id),
      );
      const served = all.find(({ uid }) => uid === "served");
      expect(served).toMatchObject({ trust: 7, licences: [["MIT", "ISC"]], redirect: null, source: { kind: "git" } });
      expect(served?.servedAt).toEqual(expect.any(Number));
      expect(all.filter(({ servedAt }) => servedAt !== null)).toEqual([served]);
      expect(await catalog().libraries.facets({ uids: ["served", "nobody"] })).toEqual([served]);
      expect(await catalog().libraries.facets({ uids: [] })).toEqual([]);
      expect(await catalog().libraries.facets({ teamspaces: [""], patterns: ["/b/s*"] })).toEqual([served]);
      expect((await catalog().libraries.get("served"))?.licences).toEqual([["MIT", "ISC"]]);
      await catalog().libraries.update("served", { licences: null });
      expect((await catalog().libraries.get("served"))?.licences).toBeUndefined();

      const accept = ({ id }: { readonly id: string }) => !id.startsWith("/c/");
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Listing<LibraryView> = await catalog().libraries.list({
          teamspaces: [""],
          accept,
          limit: 2,
          ...(cursor !== null && { cursor }),
        });
        seen.push(...page.items.map(({ library }) => library.id));
        cursor = page.next;
        expect(page.total).toBe(all.filter(accept).length);
      } while (cursor !== null);
      expect(seen).toEqual(all.filter(accept).map(({ id }) => id));
      const none = await catalog().libraries.list({ teamspaces: [""], accept: () => false, limit: 2 });
      expect(none).toEqual({ items: [], total: 0, next: null });
    });
  });
}

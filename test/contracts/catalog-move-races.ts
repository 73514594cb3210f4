import { describe, expect, it } from "vitest";
import { addLibrary, defaultVersion, publishGeneration, sampleLibrary, sampleRun } from "./catalog-samples.ts";
import { races, useCatalogs, type OpenedCatalogs } from "./catalog-racing.ts";

/** Races between moving libraries and other changes. `describeCatalogRaces` calls this. */
export function describeCatalogMoveRaces(name: string, open: () => Promise<OpenedCatalogs>): void {
  describe(`${name} as a Catalog whose libraries move at once`, () => {
    const { next, raceOf, addLive } = useCatalogs(open);
    const moveTo = (uid: string, name: string) => {
      const url = "https://git.example.com/acme/";
      return next().libraries.move(uid, { from: `${url}widgets`, to: `${url}${name}`, id: `/acme/${name}` }, 9000);
    };

    it("moves a library once for many runs that find its repository renamed", async () => {
      for (const uid of ["a", "b"]) {
        await addLive(uid);
        const moved = await Promise.all(Array.from({ length: 12 }, () => moveTo(uid, `${uid}-new`)));
        expect(new Set(moved.map((library) => library?.id))).toEqual(new Set([`/acme/${uid}-new`]));
      }
      expect((await next().libraries.list({ teamspaces: [""], limit: 50 })).total).toBe(4);
    });

    it("gives an ID to only one of two that claim it at once, and the other keeps its own", async () => {
      const results = await raceOf(
        async (uid) => {
          await addLive(uid);
          await addLibrary(next(), `${uid}-b`, { id: `/acme/${uid}-b` });
          await publishGeneration(next(), `${uid}-b`, 1);
        },
        (uid) => moveTo(uid, `${uid}-new`),
        (uid) => moveTo(`${uid}-b`, `${uid}-new`),
      );
      for (const { uid, first, second } of results) {
        const ids = [first?.id, second?.id];
        expect([
          [`/acme/${uid}-new`, `/acme/${uid}-b`],
          [`/acme/${uid}`, `/acme/${uid}-new`],
        ]).toContainEqual(ids);
        for (const id of ids) {
          const view = await next().libraries.find([""], id ?? "", "");
          expect(view?.version?.live).not.toBeNull();
        }
      }
    });

    it("either moves a library to a name or lets another be submitted under it", async () => {
      const results = await raceOf(
        addLive,
        (uid) => moveTo(uid, `${uid}-new`),
        (uid) =>
          next().libraries.create(sampleLibrary(`${uid}-b`, { id: `/acme/${uid}-new` }), null, sampleRun(`${uid}-b-1`)),
      );
      for (const { uid, first, second } of results) {
        const moved = first?.id === `/acme/${uid}-new`;
        expect("exists" in second).toBe(moved);
        expect((await next().libraries.find([""], `/acme/${uid}-new`, ""))?.library.uid).toBe(moved ? uid : `${uid}-b`);
        const old = await next().libraries.find([""], `/acme/${uid}`, "");
        expect(old?.library.redirect).toBe(moved ? `/acme/${uid}-new` : null);
      }
    });

    it("either moves a library or removes it, and leaves nothing of one that is removed", async () => {
      const results = await raceOf(
        addLive,
        (uid) => moveTo(uid, `${uid}-new`),
        (uid) => next().libraries.remove(uid, 9000),
      );
      expect(results).toHaveLength(races);
      expect((await next().libraries.list({ teamspaces: [""], limit: 50 })).items).toEqual([]);
    });

    it("plans no refresh of a library that begins to redirect at the same moment", async () => {
      const results = await raceOf(
        addLive,
        (uid) => next().libraries.setRefreshAt(uid, "", 10),
        (uid) => next().libraries.update(uid, { redirect: "/acme/elsewhere" }),
      );
      for (const { uid } of results) expect(await defaultVersion(next(), uid)).toMatchObject({ refreshAt: null });
    });
  });
}

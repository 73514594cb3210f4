import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import { useCatalogs, type OpenedCatalogs } from "./catalog-racing.ts";
import { addLibrary, sampleCredential, sampleLibrary, sampleRun } from "./catalog-samples.ts";

/** Races between removing credentials and using them. `describeCatalogRaces` calls this. */
export function describeCatalogCredentialRaces(name: string, open: () => Promise<OpenedCatalogs>): void {
  describe(`${name} as a Catalog whose credentials are removed and used at once`, () => {
    const { next, raceOf, add } = useCatalogs(open);
    const shared = (uid: string) => next().credentials.add(sampleCredential(`${uid}-c`));
    const remove = (uid: string) => next().credentials.remove(`${uid}-c`);
    /** True if the credential was used, false if it was gone. */
    const wasUsed = (use: Promise<unknown>): Promise<boolean> =>
      use.then(
        () => true,
        (error: unknown) => {
          if (error instanceof Failure && error.code === "credential_not_found") return false;
          throw error;
        },
      );
    const exists = async (id: string) => (await next().credentials.get(id)) !== undefined;

    it("either removes one, or adds the library that uses it", async () => {
      const results = await raceOf(shared, remove, (uid) => {
        const library = sampleLibrary(uid, { id: `/acme/${uid}`, credential: `${uid}-c` });
        return wasUsed(next().libraries.create(library, null, sampleRun(`${uid}-1`)));
      });
      for (const { uid, first, second } of results) {
        expect(first).toBe(second ? 1 : 0);
        expect(await exists(`${uid}-c`)).toBe(second);
        expect((await next().libraries.get(uid))?.credential).toBe(second ? `${uid}-c` : undefined);
      }
    });

    it("either removes one, or lets a library start to use it", async () => {
      const results = await raceOf(
        async (uid) => {
          await shared(uid);
          await add(uid);
        },
        remove,
        (uid) => wasUsed(next().libraries.useCredential(uid, { shared: `${uid}-c` })),
      );
      for (const { uid, first, second } of results) {
        expect(first).toBe(second ? 1 : 0);
        expect(await exists(`${uid}-c`)).toBe(second);
        expect((await next().libraries.get(uid))?.credential).toBe(second ? `${uid}-c` : null);
      }
    });

    it("removes one after the last library that used it, or counts that library", async () => {
      const results = await raceOf(
        async (uid) => {
          await shared(uid);
          await addLibrary(next(), uid, { id: `/acme/${uid}`, credential: `${uid}-c` });
        },
        remove,
        (uid) => next().libraries.remove(uid, 2000),
      );
      for (const { uid, first } of results) {
        expect([0, 1]).toContain(first);
        expect(await exists(`${uid}-c`)).toBe(first === 1);
      }
    });

    it("keeps only the last of two own credentials that a library gets at once", async () => {
      const own = (id: string) => sampleCredential(id, { name: "", teamspace: "" });
      await raceOf(
        add,
        (uid) => next().libraries.useCredential(uid, { own: own(`${uid}-c1`) }),
        (uid) => next().libraries.useCredential(uid, { own: own(`${uid}-c2`) }),
      );
      for (const { uid, credential } of await libraries()) {
        const kept = await Promise.all([`${uid}-c1`, `${uid}-c2`].map((id) => next().credentials.get(id)));
        expect(kept.flatMap((one) => one?.id ?? [])).toEqual([credential]);
      }
    });

    it("gives a name to only one of two that claim it at once", async () => {
      const named = (id: string, name: string) => next().credentials.add(sampleCredential(id, { name }));
      const results = await raceOf(
        async () => {},
        (uid) => named(`${uid}-a`, uid),
        (uid) => named(`${uid}-b`, uid),
      );
      for (const { first, second } of results) expect([first, second].toSorted()).toEqual(["added", "duplicate"]);
    });

    async function libraries() {
      const { items } = await next().libraries.list({ teamspaces: [""], limit: 100 });
      expect(items.length).toBeGreaterThan(0);
      return items.map(({ library }) => library);
    }
  });
}

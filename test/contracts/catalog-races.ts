import { describe, expect, it } from "vitest";
import { describeCatalogCredentialRaces } from "./catalog-credential-races.ts";
import { describeCatalogMoveRaces } from "./catalog-move-races.ts";
import { races, useCatalogs, type OpenedCatalogs } from "./catalog-racing.ts";
import {
  addLibrary,
  defaultVersion,
  sampleGeneration,
  sampleLibrary,
  sampleRoom,
  sampleRun,
} from "./catalog-samples.ts";

/** What a Catalog must hold to when several processes change it at once. One test file per adapter calls this. */
export function describeCatalogRaces(name: string, open: () => Promise<OpenedCatalogs>): void {
  describeCatalogMoveRaces(name, open);
  describeCatalogCredentialRaces(name, open);
  describe(`${name} as a Catalog that several change at once`, () => {
    const { next, raceOf, add, addIdle, addLive, addRefreshing, publish, statesOf } = useCatalogs(open);

    it("opens one run for twenty requests at once, and the others join it", async () => {
      for (const uid of ["a", "b", "c"]) {
        await addIdle(uid);
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            next().runs.open(uid, "", sampleRun(`${uid}-r${index}`, { priority: index }), 2000),
          ),
        );
        expect(results.filter((result) => result?.joined === false)).toHaveLength(1);
        expect(results.filter((result) => result?.joined === true)).toHaveLength(19);
        const runs = new Set(results.map((result) => result?.run.runId));
        expect(runs.size).toBe(1);
        expect((await defaultVersion(next(), uid)).openRun).toMatchObject({ runId: [...runs][0], priority: 19 });
      }
      expect(await next().runs.openRuns()).toHaveLength(3);
    });

    it("adds one library for twenty that submit the same ID at once, and names it to the others", async () => {
      for (const id of ["/acme/new", "/acme/failed"]) {
        if (id === "/acme/failed") {
          await addLibrary(next(), "failed", { id });
          await next().runs.close("failed-1", { outcome: "failed" }, 1500);
        }
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) => {
            const uid = `${id}-${index}`;
            return next().libraries.create(sampleLibrary(uid, { id }), null, sampleRun(`${uid}-1`), {
              replaces: "failed",
            });
          }),
        );
        const created = results.flatMap((result) => ("created" in result ? [result.created.run.libraryUid] : []));
        expect(created).toHaveLength(1);
        const named = results.flatMap((result) => ("exists" in result ? [result.exists.uid] : []));
        expect(new Set(named)).toEqual(new Set(created));
        expect((await next().libraries.find([""], id, ""))?.library.uid).toBe(created[0]);
      }
      expect((await next().libraries.list({ teamspaces: [""], limit: 50 })).total).toBe(2);
      expect(await next().runs.openRuns()).toHaveLength(2);
    });

    it("either opens a run of a failed library, or lets it be replaced", async () => {
      const results = await raceOf(
        addIdle,
        (uid) => next().runs.open(uid, "", sampleRun(`${uid}-2`), 2000),
        (uid) =>
          next().libraries.create(sampleLibrary(`${uid}-new`, { id: `/acme/${uid}` }), null, sampleRun(`${uid}-3`), {
            replaces: uid,
          }),
      );
      for (const { uid, first, second } of results) {
        const expected = first ? { exists: { uid } } : { created: { run: { runId: `${uid}-3` } } };
        expect(second).toMatchObject(expected);
      }
      expect(await next().runs.openRuns()).toHaveLength(races);
    });

    it("either publishes or rolls back, and one generation is live", async () => {
      const results = await raceOf(
        (uid) => addRefreshing(uid, 2),
        (uid) => publish(uid, `${uid}-2`),
        (uid) => next().generations.rollback(uid, "", 9000),
      );
      for (const { uid, first, second } of results) {
        const live = Object.entries(await statesOf(uid)).flatMap(([id, state]) => (state === "live" ? [id] : []));
        expect(live).toEqual([second?.id]);
        expect(second?.id).toBe(first ? `${uid}-2` : `${uid}-1`);
        expect((await defaultVersion(next(), uid)).live?.id).toBe(live[0]);
      }
    });

    it("leaves nothing live, staged or held of a library that was removed while its run staged, held or published", async () => {
      const steps = async (uid: string) => {
        await next().generations.stage(sampleGeneration(`${uid}-r`, uid, 9));
        if (Number(uid.slice(1)) % 3 === 0) await next().generations.hold(`${uid}-r`, 9000);
        else await publish(uid, `${uid}-1`);
        await next().runs.close(`${uid}-r`, { outcome: "superseded" }, 9500);
      };
      const results = await raceOf(addRefreshing, steps, (uid) => next().libraries.remove(uid, 9000));
      for (const { uid } of results) {
        expect(new Set(Object.values(await statesOf(uid)))).toEqual(new Set(["retired"]));
        expect(await next().libraries.get(uid)).toBeUndefined();
      }
      expect(await next().runs.openRuns()).toEqual([]);
      expect(await next().generations.live()).toEqual([]);
      expect(await next().generations.removable(9000)).toHaveLength(2 * races);
    });

    it("either drops a held generation or publishes it", async () => {
      const results = await raceOf(
        async (uid) => {
          await addRefreshing(uid);
          await next().generations.hold(`${uid}-r`, 8000);
        },
        (uid) => publish(uid, `${uid}-1`),
        (uid) => next().generations.dropHeld(`${uid}-r`, 9000),
      );
      for (const { uid, first, second } of results) {
        expect(second).toBe(!first);
        expect(await next().generations.get(`${uid}-r`)).toMatchObject(
          first ? { state: "live", removeAfter: null } : { state: "retired", removeAfter: 9000 },
        );
      }
    });

    it("leaves nothing staged by a run that was closed while it staged", async () => {
      const results = await raceOf(
        addIdle,
        async (uid) => {
          await next().runs.open(uid, "", sampleRun(`${uid}-2`), 2000);
          await next().generations.stage(sampleGeneration(`${uid}-2`, uid, 2));
        },
        async (uid) => {
          await next().runs.open(uid, "", sampleRun(`${uid}-2b`), 2000);
          for (const { runId } of await next().runs.of(uid, 1))
            await next().runs.close(runId, { outcome: "cancelled" }, 3000);
        },
      );
      for (const { uid } of results) {
        for (const run of (await next().runs.of(uid, 10)).filter(({ state }) => state === "open"))
          await next().runs.close(run.runId, { outcome: "cancelled" }, 3000);
        expect(Object.values(await statesOf(uid))).not.toContain("staged");
      }
    });

    it("does not mark as removable what a rollback makes live", async () => {
      const results = await raceOf(
        (uid) => addLive(uid, 3),
        (uid) => next().generations.rollback(uid, "", 9000),
        (uid) => next().generations.retire(uid, "", 0, 9000),
      );
      for (const { uid, first } of results) {
        const live = (await defaultVersion(next(), uid)).live;
        expect(live).toMatchObject({ id: first ? `${uid}-2` : `${uid}-3`, state: "live", removeAfter: null });
      }
    });

    it("either opens a run of a version or replaces the version", async () => {
      const results = await raceOf(
        async (uid) => {
          await add(uid);
          await next().libraries.addVersion(uid, "v1", "v1");
        },
        (uid) => next().runs.open(uid, "v1", sampleRun(`${uid}-2`), 2000),
        (uid) => next().libraries.addVersion(uid, "v2", "v2", sampleRoom(1, 9000)),
      );
      for (const { uid, first, second } of results) {
        const names = (await next().libraries.versionsOf(uid)).map(({ version }) => version);
        expect(names).toEqual(first ? ["", "v1"] : ["", "v2"]);
        expect(second).toBe(!first);
        expect(await next().runs.get(`${uid}-2`)).toEqual(first?.run);
      }
    });

    it("either opens a run of a version that was just added, or lets the library be replaced", async () => {
      const results = await raceOf(
        addIdle,
        async (uid) => {
          await next().libraries.addVersion(uid, "v1", "v1");
          return next().runs.open(uid, "v1", sampleRun(`${uid}-2`), 2000);
        },
        (uid) =>
          next().libraries.create(sampleLibrary(`${uid}-new`, { id: `/acme/${uid}` }), null, sampleRun(`${uid}-3`), {
            replaces: uid,
          }),
      );
      for (const { uid, first, second } of results) {
        const expected = first ? { exists: { uid } } : { created: { run: { runId: `${uid}-3` } } };
        expect(second).toMatchObject(expected);
      }
      expect(await next().runs.openRuns()).toHaveLength(races);
    });

    it("keeps neither versions nor refs of libraries that are removed at the same moment", async () => {
      const results = await raceOf(
        add,
        (uid) =>
          Promise.all([
            next().libraries.addVersion(uid, "v1", "v1"),
            next().libraries.keepRefs(uid, [{ kind: "tag", name: "v1", revision: "r" }]),
          ]),
        (uid) => next().libraries.remove(uid, 2000),
      );
      for (const { uid, second } of results) {
        expect(second).toMatchObject([{ runId: `${uid}-1`, outcome: "cancelled" }]);
        expect(await next().libraries.versionsOf(uid)).toEqual([]);
        expect(await next().libraries.refs(uid)).toEqual([]);
      }
    });

    it("adds no more versions than allowed, even by many at once", async () => {
      await addLive("a");
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          next().libraries.addVersion("a", `v${index}`, null, sampleRoom(5, 5000, 6000)),
        ),
      );
      expect(added.filter(Boolean)).toHaveLength(5);
      expect(await next().libraries.versionsOf("a")).toHaveLength(6);
    });

    it("hands each run to one of many that claim at once", async () => {
      for (let index = 0; index < races; index += 1) await add(`u${index}`);
      const claims = await Promise.all(
        Array.from({ length: 2 * races }, (_, index) => next().runs.claim(`worker-${index}`, 9000, 100)),
      );
      const claimed = claims.flatMap((claim) => (claim ? [claim.run.runId] : []));
      expect(claimed).toHaveLength(races);
      expect(new Set(claimed).size).toBe(races);
      expect(claims.every((claim) => claim === undefined || claim.claims === 1)).toBe(true);
    });

    it("counts every read of many that count at once, while libraries are removed and added to", async () => {
      const uids = ["a", "b", "c", "d", "e"];
      for (const uid of uids) await add(uid);
      const batch = uids.map((libraryUid) => ({ libraryUid, day: "2026-11-21", reads: 1 }));
      const now = Date.UTC(2026, 10, 21);
      await Promise.all([
        ...Array.from({ length: 20 }, (_, index) =>
          next().libraries.countReads(index % 2 === 0 ? batch : batch.toReversed(), now),
        ),
        next().libraries.remove("c", 2000),
        ...Array.from({ length: 5 }, (_, index) => next().libraries.addVersion("d", `v${index}`, null)),
        next().libraries.keepRefs("c", [{ kind: "tag", name: "v1", revision: "r" }]),
      ]);
      const sums = await Promise.all(uids.map((uid) => next().libraries.readsSince(uid, "2026-01-01")));
      expect(sums).toEqual([20, 20, 0, 20, 20]);
      expect(await next().libraries.refs("c")).toEqual([]);
    });

    it("makes changes of every kind at once without an error, and every run ends", async () => {
      const uids = Array.from({ length: 6 }, (_, index) => `u${index}`);
      for (const uid of uids) await addLive(uid, 2);
      const work = async (index: number) => {
        const uid = uids[index % uids.length] ?? "";
        const id = `${uid}-w${index}`;
        const opened = await next().runs.open(uid, "", sampleRun(id), 5000 + index);
        if (!opened) return;
        const { runId } = opened.run;
        await next().runs.claim("worker", 9000, 6000);
        await Promise.all([
          next().runs.report(runId, { phase: "collecting" }, 6000),
          next().runs.renew("worker", 9500),
          next().runs.record(runId, { collect: { index } }),
          next().generations.stage(sampleGeneration(runId, uid, 5 + index)),
          next().libraries.keepRefs(uid, []),
        ]);
        const live = (await next().libraries.versionsOf(uid))[0]?.live?.id ?? null;
        if (index % 7 === 0) await next().generations.rollback(uid, "", 7000);
        if (index === 30) await next().libraries.remove(uid, 7000);
        const published = await next().generations.publish({ runId, generation: runId, live }, 7000);
        await next().generations.retire(uid, "", 1, 7500);
        await next().runs.close(runId, { outcome: published ? "published" : "superseded" }, 8000);
      };
      await Promise.all(Array.from({ length: 60 }, (_, index) => work(index)));
      expect(await next().runs.openRuns()).toEqual([]);
      for (const uid of uids.filter((each) => each !== "u0")) {
        const states = Object.entries(await statesOf(uid));
        const live = states.flatMap(([id, state]) => (state === "live" ? [id] : []));
        expect(live).toEqual([(await defaultVersion(next(), uid)).live?.id]);
        expect(states.filter(([, state]) => state === "staged" || state === "held")).toEqual([]);
      }
    });
  });
}

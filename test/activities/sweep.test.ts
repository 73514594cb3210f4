import { mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reindex } from "../../activities/reindex.ts";
import { sweep, sweepScratch } from "../../activities/sweep.ts";
import { Failure } from "../../domain/failures.ts";
import type { Indexing } from "../../domain/ports.ts";
import { dayOf } from "../../domain/days.ts";
import { uploadKey } from "../../domain/submitting.ts";
import { addLibrary, defaultVersion, sampleGeneration, sampleRun } from "../contracts/catalog-samples.ts";
import { figures, setup } from "./sweep-setup.ts";

const thorough = { thorough: true };
const brief = { thorough: false };

/** An engine that executes nothing. */
function idleEngine(start: Indexing["start"] = async () => {}): Indexing {
  return { start, cancel: async () => {}, ready: async () => {} };
}

describe("open runs", () => {
  it("are passed to the engine, and one that cannot be started does not stop the others", async () => {
    const started: string[] = [];
    const indexing = idleEngine(async ({ libraryUid }) => {
      started.push(libraryUid);
      if (libraryUid === "b") throw new Failure("internal_error", "This one is broken.");
    });
    const { ports, catalog, problems } = await setup({ indexing });
    for (const uid of ["a", "b", "c"]) await addLibrary(catalog, uid, { id: `/a/${uid}` });
    const swept = await sweep(ports, brief);
    expect(started.toSorted()).toEqual(["a", "b", "c"]);
    expect(swept).toMatchObject({ runs: 2, problems: ["This one is broken."] });
    expect(problems).toHaveLength(1);
  });

  it("are not all tried while the engine is away, and the rest of the sweep is done", async () => {
    let tried = 0;
    const indexing = idleEngine(async () => {
      tried += 1;
      throw new Failure("service_unavailable", "The engine is away.");
    });
    const { ports, catalog, published } = await setup({ indexing });
    const due = await published("due");
    await catalog.libraries.remove("due", 5);
    for (let number = 0; number < 100; number += 1) await addLibrary(catalog, `n${number}`, { id: `/n/${number}` });
    const swept = await sweep(ports, brief);
    expect(tried).toBeLessThan(20);
    expect(swept).toMatchObject({ runs: 0, generations: 1, problems: ["The engine is away."] });
    expect(await catalog.generations.get(due)).toBeUndefined();
  });

  it("are passed to the engine in batches where there are very many", async () => {
    let started = 0;
    const { ports, catalog } = await setup({ indexing: idleEngine(async () => void (started += 1)) });
    await addLibrary(catalog, "a");
    const [run] = await catalog.runs.openRuns();
    if (!run) throw new Error("There is no run.");
    const openRuns = async () => Array.from({ length: 5000 }, (_, at) => ({ ...run, runId: `r${at}` }));
    const { runs } = await sweep({ ...ports, catalog: { ...catalog, runs: { ...catalog.runs, openRuns } } }, brief);
    expect(runs).toBe(1000);
    expect(started).toBe(1000);
  });
});

describe("generations that are due", () => {
  it("are removed from index, blobs and catalog, and no others", async () => {
    const { ports, catalog, passages, published, stored } = await setup();
    const [kept, gone] = [await published("kept"), await published("gone")];
    await catalog.libraries.remove("gone", 5);
    expect(await sweep(ports, brief)).toMatchObject({ generations: 1, problems: [] });
    expect([await stored(gone), await passages.count(gone), await catalog.generations.get(gone)]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    expect([await stored(kept), await passages.count(kept)]).toEqual([true, 2]);
  });

  it("stay for the next sweep where removing one fails", async () => {
    const { ports, catalog, blobs, published, stored } = await setup();
    const ids = [await published("a"), await published("b")];
    for (const uid of ["a", "b"]) await catalog.libraries.remove(uid, 5);
    const removeAll = (prefix: string): Promise<void> =>
      prefix.includes("a-1")
        ? Promise.reject(new Failure("service_unavailable", "The bucket is away."))
        : blobs.removeAll(prefix);
    expect(await sweep({ ...ports, blobs: { ...blobs, removeAll } }, brief)).toMatchObject({
      generations: 1,
      problems: ["The bucket is away."],
    });
    expect(await sweep(ports, brief)).toMatchObject({ generations: 1, problems: [] });
    for (const id of ids) expect(await stored(id)).toBe(false);
  });

  it("are removed once by sweeps that come together, without a problem", async () => {
    const { ports, catalog, published, stored } = await setup();
    const ids: string[] = [];
    for (let number = 0; number < 12; number += 1) {
      ids.push(await published(`l${number}`, { loaded: number < 3 }));
      await catalog.libraries.remove(`l${number}`, 5);
    }
    const swept = await Promise.all([sweep(ports, thorough), sweep(ports, thorough)]);
    for (const { problems } of swept) expect(problems).toEqual([]);
    expect(await catalog.generations.known(ids)).toEqual(new Set());
    for (const id of ids) expect(await stored(id)).toBe(false);
  });
});

describe("refreshes that are due", () => {
  it("are started", async () => {
    const { ports, catalog, published } = await setup();
    await published("a");
    await catalog.libraries.countReads([{ libraryUid: "a", day: dayOf(Date.now()), reads: 1 }], Date.now());
    await catalog.libraries.setRefreshAt("a", "", 1);
    const started: string[] = [];
    const indexing = idleEngine(async ({ libraryUid }) => void started.push(libraryUid));
    expect(await sweep({ ...ports, indexing }, brief)).toMatchObject({ refreshes: { started: 1 } });
    expect(started).toEqual(["a"]);
  });
});

describe("data without a catalog row", () => {
  it("is removed by a thorough sweep: blobs, index rows, entries", async () => {
    const { ports, passages, libraries, store, load, stored, published, catalog } = await setup();
    await published("kept");
    await published("deleted");
    await catalog.libraries.remove("deleted", Date.now() + 1e9);
    await store("orphan");
    await load("orphan-in-index");
    expect(await sweep(ports, brief)).toMatchObject({ orphans: 0 });
    expect(await stored("orphan")).toBe(true);
    expect(await sweep(ports, thorough)).toMatchObject({ orphans: 3, problems: [] });
    expect(await stored("orphan")).toBe(false);
    expect(await passages.generations()).not.toContain("orphan-in-index");
    expect(await libraries.uids()).toEqual(["kept"]);
  });

  it("is removed where it is an upload of no library, unless that is being submitted", async () => {
    const { ports, catalog, blobs } = await setup({ isFresh: (id) => id === "fresh" });
    await addLibrary(catalog, "a", { id: "/docs/a", upload: "used" });
    for (const id of ["used", "fresh", "left"]) await blobs.put(uploadKey(id), Buffer.from(id));
    expect(await sweep(ports, brief)).toMatchObject({ orphans: 0 });
    expect(await sweep(ports, thorough)).toMatchObject({ orphans: 1, problems: [] });
    expect((await Array.fromAsync(blobs.list("uploads/"))).toSorted()).toEqual([uploadKey("fresh"), uploadKey("used")]);
  });

  it("stays while it may belong to an import under way", async () => {
    const { ports, store, stored } = await setup({ mayBeUnderway: (id) => id === "import" });
    await store("import");
    await store("orphan");
    expect(await sweep(ports, thorough)).toMatchObject({ orphans: 1, problems: [] });
    expect([await stored("import"), await stored("orphan")]).toEqual([true, false]);
  });

  it("stays while the run that stores it is open, whenever that run registers it and ends", async () => {
    const { ports, catalog, store, stored } = await setup({ indexing: idleEngine() });
    await addLibrary(catalog, "a");
    await store("a-1");
    await sweep(ports, thorough);
    expect(await stored("a-1")).toBe(true);

    // The run registers, publishes and ends right after each look-up of the sweep in turn.
    for (const moment of ["openRuns", "known"] as const) {
      const uid = moment;
      const id = `${uid}-1`;
      await addLibrary(catalog, uid, { id: `/a/${uid}` });
      await store(id);
      const finish = async (): Promise<void> => {
        await catalog.generations.stage(sampleGeneration(id, uid, 1, { counts: figures }));
        await catalog.generations.publish({ runId: id, generation: id, live: null }, 5);
        await catalog.runs.close(id, { outcome: "published" }, 5);
      };
      const finishingAfter =
        <Args extends readonly unknown[], T>(look: (...args: Args) => Promise<T>) =>
        async (...args: Args): Promise<T> => {
          const seen = await look(...args);
          await finish();
          return seen;
        };
      const { runs, generations } = catalog;
      const raced = {
        ...catalog,
        ...(moment === "openRuns" && { runs: { ...runs, openRuns: finishingAfter(runs.openRuns) } }),
        ...(moment === "known" && { generations: { ...generations, known: finishingAfter(generations.known) } }),
      };
      await sweep({ ...ports, catalog: raced }, thorough);
      expect((await defaultVersion(catalog, uid)).live?.id).toBe(id);
      expect(await stored(id)).toBe(true);
    }
  });
});

describe("an index that lost something", () => {
  it("gets back a generation that is gone, and an entry", async () => {
    const { ports, passages, libraries, published, engine } = await setup();
    const id = await published("a");
    await published("b");
    await passages.drop(id);
    await libraries.remove("a");
    await engine.open();
    const { index } = await sweep(ports, thorough);
    expect(index).toEqual({ live: 2, restored: 1, busy: 0, lost: 0, announced: 1 });
    await engine.idle();
    expect(await passages.count(id)).toBe(2);
    expect((await libraries.uids()).toSorted()).toEqual(["a", "b"]);
    expect((await sweep(ports, thorough)).index).toMatchObject({ restored: 0, announced: 0 });
  });

  it("gets back a generation of which only a part is there", async () => {
    const { ports, passages, published, catalog } = await setup({ indexing: idleEngine() });
    const id = await published("a");
    await published("b");
    const count: typeof passages.count = async (of) => (of === id ? 1 : passages.count(of));
    const swept = await sweep({ ...ports, passages: { ...passages, count } }, thorough);
    expect(swept.index).toMatchObject({ restored: 1 });
    expect(await catalog.runs.openRuns()).toMatchObject([{ libraryUid: "a", generation: id, reason: "sweep" }]);
  });

  it("reports a generation that is damaged too, and has its source read instead of loading it", async () => {
    const { ports, passages, blobs, published, catalog } = await setup({ indexing: idleEngine() });
    for (const [uid, lost] of [
      ["a", "manifest"],
      ["b", "part"],
    ] as const) {
      const id = await published(uid);
      await passages.drop(id);
      const keys = await Array.fromAsync(blobs.list(`generations/${id}/`));
      const kept = new Map<string, Uint8Array>();
      for (const key of keys) {
        const bytes = await blobs.get(key);
        if (bytes && key.includes("manifest") !== (lost === "manifest") && !key.includes("snippets-"))
          kept.set(key, bytes);
      }
      await blobs.removeAll(`generations/${id}/`);
      for (const [key, bytes] of kept) await blobs.put(key, bytes);
    }
    const swept = await sweep(ports, thorough);
    expect(swept.index).toMatchObject({ restored: 0, lost: 2 });
    expect(swept).toMatchObject({ damaged: 2, refreshes: { started: 2 } });
    for (const name of ["/a/a", "/a/b"])
      expect(swept.problems).toEqual(
        expect.arrayContaining([
          expect.stringContaining(`${name} is damaged`),
          expect.stringContaining(`${name} is damaged, and incomplete in the index`),
        ]),
      );
    const opened = await catalog.runs.openRuns();
    expect(opened.map(({ libraryId }) => libraryId).toSorted()).toEqual(["/a/a", "/a/b"]);
    for (const { generation } of opened) expect(generation).toBeUndefined();
  });

  it("is not taken for lost while it is out of reach", async () => {
    const { ports, passages, published, catalog } = await setup({ indexing: idleEngine() });
    for (let number = 0; number < 30; number += 1) await published(`l${number}`, { loaded: false });
    let counted = 0;
    const count = async (): Promise<never> => {
      counted += 1;
      throw new Failure("search_failed", "The index is out of reach.");
    };
    const swept = await sweep({ ...ports, passages: { ...passages, count } }, thorough);
    expect(swept).toMatchObject({ index: { restored: 0, lost: 0 }, problems: ["The index is out of reach."] });
    expect(counted).toBeLessThan(20);
    expect(await catalog.runs.openRuns()).toEqual([]);
  });

  it("is rebuilt from generations by one call, which reports what it did", async () => {
    const { ports, passages, catalog, published, engine } = await setup();
    const ids: string[] = [];
    for (let number = 0; number < 10; number += 1) ids.push(await published(`l${number}`, { loaded: false }));
    await catalog.runs.open("l7", "", sampleRun("asked"), Date.now());
    // The runs stay open, and the sweep passes them to the engine later.
    const away = idleEngine(() => Promise.reject(new Failure("service_unavailable", "The engine is away.")));
    expect(await reindex({ ...ports, indexing: away })).toMatchObject({
      live: 10,
      restored: 9,
      busy: 1,
      lost: 0,
      problems: [],
    });
    await catalog.runs.close("asked", { outcome: "cancelled" }, Date.now());
    await engine.open();
    expect(await reindex(ports)).toMatchObject({ busy: 0, lost: 0, problems: [] });
    await engine.idle();
    for (const id of ids) expect(await passages.count(id)).toBe(2);
    expect(await reindex(ports)).toMatchObject({ live: 10, restored: 0 });
  });
});

describe("a sweep as a step", () => {
  it("reports progress, and stops when aborted", async () => {
    const controller = new AbortController();
    const { ports, catalog } = await setup({ indexing: idleEngine(async () => controller.abort(new Error("stop"))) });
    for (let number = 0; number < 50; number += 1) await addLibrary(catalog, `n${number}`, { id: `/n/${number}` });
    let reports = 0;
    const report = (): void => void (reports += 1);
    await expect(sweep(ports, thorough, { signal: controller.signal, report })).rejects.toThrow("stop");
    expect(reports).toBeGreaterThan(0);
    expect(reports).toBeLessThan(30);
    reports = 0;
    await sweep({ ...ports, indexing: idleEngine() }, thorough, { signal: new AbortController().signal, report });
    expect(reports).toBeGreaterThan(50);
  });
});

describe("folders that steps left finishingAfter", () => {
  it("are removed when they are old and of no open run; a folder that was never made is no error", async () => {
    const { folder, catalog } = await setup();
    const scratch = join(folder, "work");
    const ports = { catalog, scratch, now: Date.now };
    expect(await sweepScratch(ports)).toBe(0);
    await addLibrary(catalog, "open");
    await addLibrary(catalog, "ended", { id: "/a/ended" });
    await catalog.runs.close("ended-1", { outcome: "failed" }, 5);
    const old = new Date(Date.now() - 7_200_000);
    for (const name of ["open-1-abc", "ended-1-abc", "ended-1-new", "unknown-xyz"]) {
      await mkdir(join(scratch, name, "tree"), { recursive: true });
      if (!name.endsWith("new")) await utimes(join(scratch, name), old, old);
    }
    expect(await sweepScratch(ports)).toBe(2);
    expect((await readdir(scratch)).toSorted()).toEqual(["ended-1-new", "open-1-abc"]);
    expect(await sweepScratch(ports, { olderThan: 0 })).toBe(1);
    expect(await readdir(scratch)).toEqual(["open-1-abc"]);
  });
});

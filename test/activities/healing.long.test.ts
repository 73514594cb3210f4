import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { damageOf } from "../../activities/damage.ts";
import { reindex } from "../../activities/reindex.ts";
import { sweep } from "../../activities/sweep.ts";
import { answerQuestion, locateLibrary, orReload } from "../../domain/answering.ts";
import { Failure } from "../../domain/failures.ts";
import { changeLibrary, dropHeld, publishHeld, rollbackLibrary } from "../../domain/operating.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { servedPassages } from "../../domain/generation.ts";
import { admin, damage, describeHealing, hour, openHealing, page, type Damage } from "../contracts/healing.ts";

describeHealing("a folder", async () => ({}));

const id = "/acme/widgets";
const first: Damage = "missing";

const away = (): Promise<never> => Promise.reject(new Failure("service_unavailable", "The bucket is away."));
const nothingComes = { [Symbol.asyncIterator]: () => ({ next: away }) };
const storesAway: readonly Partial<BlobStore>[] = [
  { get: away },
  { list: () => nothingComes, written: () => nothingComes },
];

describe("a damaged generation", () => {
  it("is not assumed while the BlobStore is away", async () => {
    const { add, live, lectern, blobs } = await openHealing();
    await add(id);
    const { id: generation } = await live(id);
    for (const part of storesAway) {
      const store = { ...blobs, ...part };
      await expect(damageOf(store, generation)).rejects.toMatchObject({ code: "service_unavailable" });
      const swept = await sweep({ ...lectern.sweepPorts, blobs: store }, { thorough: true });
      expect(swept).toMatchObject({ damaged: 0, refreshes: { started: 0 }, problems: ["The bucket is away."] });
    }
    expect(await live(id)).toMatchObject({ id: generation, damage: null });
  });

  it.each(["changed", "cut short", "empty", "missing"] as const)(
    "is found by a brief sweep where a part has become %s",
    async (how) => {
      const { add, live, lines, settle, sweep: sweepAt, blobs } = await openHealing();
      await add(id);
      await add("/whole/one");
      const before = await lines(id);
      const { id: generation } = await live(id);
      expect(await sweepAt()).toMatchObject({ damaged: 0 });
      expect(await sweepAt(0, false)).toMatchObject({ damaged: 0 });
      await damage(blobs, generation, "snippets-", how);
      const swept = await sweepAt(0, false);
      expect(swept).toMatchObject({ damaged: 1, refreshes: { started: 1 } });
      expect(swept.problems.join(" ")).toMatch(/\/acme\/widgets is damaged/);
      await settle();
      expect(await live(id)).toMatchObject({ damage: null });
      expect((await live(id)).id).not.toBe(generation);
      expect(await lines(id)).toEqual(before);
      expect(await sweepAt(0, false)).toMatchObject({ damaged: 0, problems: [] });
    },
  );

  it("is whole again when its blobs are put back", async () => {
    const { add, live, sweep: sweepAt, blobs, lectern } = await openHealing();
    await add(id);
    await changeLibrary(lectern.ports, admin, id, { schedule: "never" });
    const { id: generation } = await live(id);
    const [key = ""] = (await Array.fromAsync(blobs.list(`generations/${generation}/`))).filter((each) =>
      each.includes("snippets-"),
    );
    const bytes = (await blobs.get(key)) ?? new Uint8Array();
    await damage(blobs, generation, "snippets-", first);
    expect(await sweepAt()).toMatchObject({ damaged: 1 });
    expect((await live(id)).damage).toContain(`${key} is missing`);
    await blobs.put(key, bytes);
    expect(await sweepAt(1)).toMatchObject({ damaged: 0 });
    expect((await live(id)).damage).toBeNull();
  });

  it("is retried once a day where its source is gone, shows both in the status, and serves what it has", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { add, live, lastRun, settle, sweep: sweepNow, blobs, removeSource, lectern } = await openHealing();
    await add(id);
    const { id: generation, counts } = await live(id);
    await damage(blobs, generation, "snippets-", first);
    await removeSource(id);
    const started: number[] = [];
    for (let at = 0; at < 60; at += 1) {
      const { refreshes, damaged } = await sweepNow();
      expect(damaged).toBe(1);
      if (refreshes.started > 0) started.push(at);
      await settle();
      vi.setSystemTime(Date.now() + hour);
    }
    expect(started[0]).toBe(0);
    expect(started[1]).toBeGreaterThanOrEqual(21);
    expect(started).toHaveLength(3);
    expect(await lastRun(id)).toMatchObject({ outcome: "failed", failure: { code: "source_not_found" } });
    expect(await live(id)).toMatchObject({ id: generation, damage: expect.stringContaining("is missing") as string });
    expect(await lectern.stores.passages.count(generation)).toBe(servedPassages(counts));
  });

  it("is left alone by the sweep where the schedule is never, and rebuilt by a requested refresh", async () => {
    const { add, live, settle, refresh, sweep: sweepAt, blobs, lectern } = await openHealing();
    await add(id);
    await changeLibrary(lectern.ports, admin, id, { schedule: "never" });
    const { id: generation } = await live(id);
    await damage(blobs, generation, "manifest", first);
    expect(await sweepAt()).toMatchObject({ damaged: 1, refreshes: { started: 0, unasked: 1 } });
    expect(await sweepAt(30)).toMatchObject({ damaged: 1, refreshes: { started: 0, unasked: 0 } });
    await refresh(id);
    await settle();
    expect(await live(id)).toMatchObject({ damage: null });
    expect((await live(id)).id).not.toBe(generation);
  });

  it("is not replaced automatically by what was rolled back from", async () => {
    const { add, write, live, lastRun, lines, settle, refresh, sweep: sweepAt, blobs, lectern } = await openHealing();
    await add(id);
    const { id: generation } = await live(id);
    await write(id, page("unwanted"));
    await refresh(id);
    await settle();
    await rollbackLibrary(lectern.ports, admin, id);
    await damage(blobs, generation, "snippets-", first);
    expect(await sweepAt()).toMatchObject({ damaged: 1, refreshes: { started: 1 } });
    await settle();
    expect(await lastRun(id)).toMatchObject({ reason: "sweep", outcome: "unchanged" });
    expect((await live(id)).id).toBe(generation);
    await write(id, page("wanted"));
    expect(await sweepAt(40)).toMatchObject({ refreshes: { started: 1 } });
    await settle();
    expect((await lines(id)).join("")).toContain("wanted");
    expect(await live(id)).toMatchObject({ damage: null });
  });

  it("is rebuilt where it is lost from the index as well", async () => {
    const { add, live, settle, sweep: sweepAt, blobs, lectern } = await openHealing();
    await add(id);
    const { id: generation, counts } = await live(id);
    await lectern.stores.passages.drop(generation);
    // Only a read finds this damage: of the run that loads it again, or of the sweep.
    await damage(blobs, generation, "snippets-", "changed");
    for (let at = 0; (await live(id)).id === generation; at += 1) {
      expect(at).toBeLessThan(3);
      await sweepAt(at);
      await settle();
    }
    const { id: whole, damage: left } = await live(id);
    expect(left).toBeNull();
    expect(await lectern.stores.passages.count(whole)).toBe(servedPassages(counts));
  });

  it("is not rolled back to, exported or published: each fails with a message, and nothing is lost", async () => {
    const { add, write, live, lines, settle, refresh, blobs, lectern, catalog } = await openHealing({
      KEEP_GENERATIONS: "1",
    });
    const many = (word: string): Record<string, string> =>
      Object.assign({}, ...Array.from({ length: 30 }, (_, at) => page(`${word}${at}`, `p${at}.md`)));
    await add(id, many("one"));
    const before = await live(id);
    await write(id, page("changed", "p0.md"));
    await refresh(id);
    await settle();
    const { id: generation } = await live(id);
    await damage(blobs, before.id, "snippets-", first);
    const damaged = { code: "generation_damaged", message: expect.stringMatching(/is missing\. Refresh the library/) };
    await expect(rollbackLibrary(lectern.ports, admin, id)).rejects.toMatchObject(damaged);
    expect((await live(id)).id).toBe(generation);

    await write(id, Object.fromEntries(Object.keys(many("")).map((path) => [path, "# Nothing\n"])));
    await refresh(id);
    await settle();
    const held = async () =>
      (await catalog.generations.of(before.libraryUid, "")).find(({ state }) => state === "held");
    await damage(blobs, (await held())?.id ?? "", "manifest", "missing");
    await expect(publishHeld(lectern.ports, admin, id)).rejects.toMatchObject(damaged);
    expect([(await held())?.state, (await live(id)).id]).toEqual(["held", generation]);
    await dropHeld(lectern.ports, admin, id);

    await damage(blobs, generation, "snippets-", first);
    await expect(lines(id)).rejects.toMatchObject(damaged);
    await write(id, many("one"));
    await refresh(id);
    await settle();
    expect(await lines(id)).not.toEqual([]);
    // What could not be rolled back to is not kept.
    const kept = (await catalog.generations.of(before.libraryUid, "")).filter(
      ({ removeAfter }) => removeAfter === null,
    );
    expect(kept.map(({ state }) => state).toSorted()).toEqual(["live", "retired"]);
  });
});

describe("a live generation that the index lacks", () => {
  const lost = async () => {
    const world = await openHealing();
    await world.add(id);
    const { id: generation, counts } = await world.live(id);
    const { passages } = world.lectern.stores;
    await passages.drop(generation);
    return {
      ...world,
      generation,
      passages,
      isThere: async () => (await passages.count(generation)) === servedPassages(counts),
    };
  };

  it("is loaded again by a refresh, which ends unchanged", async () => {
    const { live, lastRun, refresh, settle, generation, isThere } = await lost();
    await refresh(id);
    await settle();
    expect(await lastRun(id)).toMatchObject({ outcome: "unchanged" });
    expect(await isThere()).toBe(true);
    expect(await live(id)).toMatchObject({ id: generation, unindexedSince: null });
  });

  it("is loaded again by the next sweep where a read found it missing, and by a brief one too", async () => {
    const { live, settle, sweep: sweepAt, catalog, generation, isThere } = await lost();
    expect(await sweepAt(0, false)).toMatchObject({ index: { restored: 0 } });
    await catalog.generations.noteUnindexed([generation], true, 5);
    expect(await live(id)).toMatchObject({ unindexedSince: 5 });
    expect(await sweepAt(0, false)).toMatchObject({ index: { live: 1, restored: 1 } });
    await settle();
    expect(await isThere()).toBe(true);
    expect(await live(id)).toMatchObject({ unindexedSince: null });
  });

  it("is loaded again at once where a read finds it missing; the read fails with index_rebuilding", async () => {
    const { live, settle, lectern, catalog, isThere } = await lost();
    const { ports } = lectern;
    const located = await locateLibrary(ports, admin, id);
    const question = { query: "guide", tokens: 1000, limit: 10 };
    const read = () => orReload(ports, located, () => answerQuestion(ports, located, question));
    await expect(read()).rejects.toMatchObject({ code: "index_rebuilding" });
    expect(await catalog.runs.openRuns()).toHaveLength(1);
    expect((await live(id)).unindexedSince).not.toBeNull();
    await settle();
    expect(await isThere()).toBe(true);
    expect((await read()).passages).not.toEqual([]);
    expect((await live(id)).unindexedSince).toBeNull();
  });

  it("is found by reindex also where one bit of its file is flipped, and where the source is gone", async () => {
    const { add, live, settle, removeSource, lectern, folder } = await openHealing();
    await add(id);
    await removeSource(id);
    const { id: generation } = await live(id);
    const file =
      (await readdir(folder, { recursive: true })).find((name) => name.endsWith(`${generation}.sqlite`)) ?? "";
    const bytes = await readFile(join(folder, file));
    await writeFile(join(folder, file), bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1));
    expect(await reindex(lectern.sweepPorts)).toMatchObject({ live: 1, restored: 1, lost: 0, problems: [] });
    await settle();
    expect(await lectern.stores.passages.verify?.(generation)).toBe(true);
    expect(await reindex(lectern.sweepPorts)).toMatchObject({ live: 1, restored: 0 });
  });
});

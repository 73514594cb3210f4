import { expect, it, onTestFinished } from "vitest";
import type { Progress } from "../../domain/steps.ts";
import { ask, control, foundIds, library, type PassageIndexSetup } from "./passage-index-asking.ts";
import { prosePassage, partsOf } from "./passage-samples.ts";

/** What a PassageIndex must do about loading, keeping and dropping generations. */
export function itLoadsGenerations(setup: () => Promise<PassageIndexSetup>): void {
  it("loads a generation without a single served passage", async () => {
    const { index } = await setup();
    expect(await index.load("g1", partsOf([]), control())).toBe(0);
    expect(await index.count("g1")).toBe(0);
    expect(await foundIds(index, "g1", "cache")).toEqual([]);
  });

  it("loads lines of format 1, which older generations have, and gives them back as passages", async () => {
    const { index } = await setup();
    const { blocks: _, ...place } = prosePassage("old-prose", "", { title: "Caching" });
    const { source } = place;
    const codes = [{ language: "", code: "cache.set(key)" }];
    const old = [
      { ...place, kind: "info", description: "", codes: [], content: "A cache keeps answers." },
      { ...place, id: "old-code", kind: "code", description: "Set a cache:", codes },
      { ...place, id: "old-bare", kind: "code", description: "", codes },
      { ...place, id: "old-held", kind: "code", description: "", codes, flags: ["quarantined"] },
    ];
    expect(await index.load("g1", partsOf(old), { ...control(), language: "go" })).toBe(3);
    expect(await foundIds(index, "g1", "cache", { kind: "code", language: "go" })).toEqual(["old-bare", "old-code"]);
    expect(await foundIds(index, "g1", "cache", { kind: "info" })).toEqual(["old-code", "old-prose"]);
    const { read } = await ask(index, "g1", "cache");
    const example = { type: "code", title: "Caching", url: source.url, lines: source.lines };
    const filled = [{ language: "go", code: "cache.set(key)" }];
    expect(await read(["old-prose", "old-code", "old-bare"])).toEqual([
      { ...place, blocks: [{ type: "prose", markdown: "A cache keeps answers." }] },
      {
        ...place,
        id: "old-code",
        blocks: [
          { type: "prose", markdown: "Set a cache:" },
          { ...example, description: "Set a cache:", codes: filled },
        ],
      },
      { ...place, id: "old-bare", blocks: [{ ...example, description: "", codes: filled }] },
    ]);
  });

  it("changes nothing when a generation is loaded again", async () => {
    const { index } = await setup();
    await index.load("g1", partsOf(library), control());
    expect(await index.load("g1", partsOf(library), control())).toBe(4);
    expect(await foundIds(index, "g1", "cache")).toEqual(["cache"]);
    expect(await index.generations()).toEqual(["g1"]);
  });

  it("finds the same in a generation whatever other generations are loaded", async () => {
    const { index } = await setup();
    const many = (word: string, count: number) =>
      Array.from({ length: count }, (_, at) => prosePassage(`${word}${at}`, `It has ${word}.`));
    await index.load("g1", partsOf([...many("cache", 30), ...many("proxy", 40), ...many("other", 20)]), control());
    // Each term has more passages than are returned.
    const ids = async () => foundIds(index, "g1", "cache or proxy", { limit: 12 });
    const before = await ids();
    await index.load("g2", partsOf(many("cache", 90)), control());
    expect(await ids()).toEqual(before);
    await index.drop("g2");
    await index.load("g3", partsOf(many("proxy", 90)), control());
    expect(await ids()).toEqual(before);
  });

  it("keeps generations apart", async () => {
    const { index } = await setup();
    await index.load("g1", partsOf(library), control());
    await index.load("g2", partsOf([prosePassage("other", "The cache of another one.")]), control());
    expect(await foundIds(index, "g1", "cache")).toEqual(["cache"]);
    expect(await foundIds(index, "g2", "cache")).toEqual(["other"]);
    expect((await index.generations()).toSorted()).toEqual(["g1", "g2"]);
  });

  it("loads two generations at once, and one generation twice at once", async () => {
    const { index } = await setup();
    const loads = ["g1", "g2", "g1"].map((generation) => index.load(generation, partsOf(library, 1), control()));
    expect(await Promise.all(loads)).toEqual([4, 4, 4]);
    expect(await foundIds(index, "g1", "cache")).toEqual(["cache"]);
    expect(await foundIds(index, "g2", "cache")).toEqual(["cache"]);
  });

  it("fails with index_rebuilding for a generation that is not loaded", async () => {
    const { index } = await setup();
    expect(await index.count("g1")).toBeUndefined();
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject({ code: "index_rebuilding" });
  });

  it("leaves nothing of a load whose parts broke off, and can load it again", async () => {
    const { index } = await setup();
    await expect(index.load("g1", broken(), control())).rejects.toThrow("The part cannot be read.");
    expect(await index.count("g1")).toBeUndefined();
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject({ code: "index_rebuilding" });
    expect(await index.load("g1", partsOf(library), control())).toBe(4);
    expect(await foundIds(index, "g1", "cache")).toEqual(["cache"]);
  });

  it("stops when aborted, even while it waits for parts, and leaves nothing to be found", async () => {
    const { index } = await setup();
    const stop = new AbortController();
    const load = index.load(
      "g1",
      stalled(() => stop.abort(new Error("Cancelled."))),
      control(stop.signal),
    );
    await expect(load).rejects.toThrow("Cancelled.");
    expect(await index.count("g1")).toBeUndefined();
    await index.drop("g1");
    expect(await index.generations()).toEqual([]);
  });

  it("does not begin a load that is cancelled already", async () => {
    const { index } = await setup();
    const load = index.load("g1", partsOf(library), control(AbortSignal.abort(new Error("Cancelled."))));
    await expect(load).rejects.toThrow("Cancelled.");
    expect(await index.count("g1")).toBeUndefined();
  });

  it("reports how many passages it has loaded so far", async () => {
    const { index } = await setup();
    const reports: Progress[] = [];
    await index.load("g1", partsOf(library, 2), {
      signal: new AbortController().signal,
      report: (report) => reports.push(report),
      language: "",
    });
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.at(-1)).toEqual({ loaded: 4 });
  });

  it("forgets a dropped generation, and ignores dropping a missing one", async () => {
    const { index } = await setup();
    await index.load("g1", partsOf(library), control());
    await foundIds(index, "g1", "cache");
    await index.drop("g1");
    await index.drop("g1");
    expect(await index.count("g1")).toBeUndefined();
    expect(await index.generations()).toEqual([]);
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject({ code: "index_rebuilding" });
  });

  it("refuses an invalid id", async () => {
    const { index } = await setup();
    for (const id of ["", "../g1", "a/b", "a.b", "g1\u0000", "x' OR '1'='1"]) {
      await expect(index.load(id, partsOf(library), control())).rejects.toMatchObject({ code: "internal_error" });
      await expect(index.drop(id)).rejects.toMatchObject({ code: "internal_error" });
    }
    expect(await index.generations()).toEqual([]);
  });

  it("still has its generations after it was closed and opened again", async () => {
    const { index, reopen } = await setup();
    await index.load("g1", partsOf(library), control());
    await index.close();
    const again = await reopen();
    onTestFinished(() => again.close());
    expect(await again.count("g1")).toBe(4);
    expect(await again.generations()).toEqual(["g1"]);
    expect(await (await ask(again, "g1", "cache")).read(["cache"])).toEqual([library[1]]);
  });
}

async function* broken(): AsyncIterable<Uint8Array> {
  yield* partsOf(library, 2);
  throw new Error("The part cannot be read.");
}

async function* stalled(then: () => void): AsyncIterable<Uint8Array> {
  yield* partsOf(library, 2);
  setTimeout(then, 20);
  await new Promise<never>(() => undefined);
}

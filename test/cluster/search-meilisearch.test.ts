import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { hasMeilisearch, startMeilisearch } from "../../tools/dev/meilisearch.ts";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import { createMeilisearchLibraryIndex } from "../../search/meilisearch/library-index.ts";
import { checkMeilisearch, setupMeilisearch } from "../../search/meilisearch/setup.ts";
import { createMeilisearchPassageIndex } from "../../search/meilisearch/passage-index.ts";
import { describeLibraryCases, searchOf } from "../contracts/library-cases.ts";
import { describeLibraryIndex, libraryEntry } from "../contracts/library-index.ts";
import { ask, control } from "../contracts/passage-index-asking.ts";
import { describePassageIndex } from "../contracts/passage-index.ts";
import { codePassage, prosePassage, partsOf } from "../contracts/passage-samples.ts";
import { folderOfTest } from "../support/of-test.ts";

const given = inject("meilisearch");
const some = [codePassage("a", { title: "Cache" }), prosePassage("b", "A proxy with a cache.")];
/** More than one request takes. */
const many = Array.from({ length: 12_000 }, (_, at) => prosePassage(`s${at}`, `Word${at} and a cache.`));
const searchFailed = { code: "search_failed" };
const notLoaded = { code: "index_rebuilding" };

describe.skipIf(given === null)("with a Meilisearch server", () => {
  describePassageIndex("Meilisearch", async () => {
    const { worker } = await setup();
    return {
      index: createMeilisearchPassageIndex(worker),
      reopen: async () => createMeilisearchPassageIndex(worker),
    };
  });

  describeLibraryIndex("Meilisearch", async () => {
    const { worker, libraries } = await setup();
    await libraries.complete?.();
    return {
      index: libraries,
      reopen: async () => createMeilisearchLibraryIndex(worker),
    };
  });

  describeLibraryCases("Meilisearch", async (entries) => {
    const { libraries } = await setup();
    await Promise.all(entries.map((entry) => libraries.put(entry)));
    await libraries.complete?.();
    return searchOf(libraries);
  });

  it("lets the API's key read snippets and write entries of libraries, and neither change settings nor make indexes", async () => {
    const { api, worker } = await setup();
    await createMeilisearchPassageIndex(worker).load("g1", partsOf(some), control());
    const { candidates, read } = await ask(createMeilisearchPassageIndex(api), "g1", "cache");
    expect(await read(candidates.map(({ id }) => id))).toHaveLength(2);
    const libraries = createMeilisearchLibraryIndex(api);
    const entry = libraryEntry("/a/b");
    await libraries.put(entry);
    await libraries.remove(entry.uid);
    expect(await libraries.uids()).toEqual([]);
    const refused = { ...searchFailed, message: expect.stringContaining("the key does not allow this") };
    await expect(api.write("snippets", (index) => index.updateSearchCutoffMs(1))).rejects.toMatchObject(refused);
    await expect(api.ask((client) => client.createIndex("other"))).rejects.toMatchObject(refused);
  });

  it("tells its size to the API's key", async () => {
    const { api } = await setup();
    expect(await createMeilisearchPassageIndex(api).size?.()).toBeGreaterThan(0);
  });

  it("changes nothing when it is set up again, and finds settings that somebody changed", async () => {
    const { master, api } = await setup();
    const indexUids = ["snippets", "generations", "libraries"].map((name) => `${master.prefix}${name}`);
    const tasks = async () => (await master.ask((client) => client.tasks.getTasks({ indexUids }))).total;
    const before = await tasks();
    await setupMeilisearch(master);
    expect(await tasks()).toBe(before);
    expect(await checkMeilisearch(api)).toEqual([]);
    await master.finish(await master.write("snippets", (index) => index.updateSearchCutoffMs(1)));
    await expect(checkMeilisearch(api)).rejects.toMatchObject({ message: expect.stringContaining("searchCutoffMs") });
    await setupMeilisearch(master);
    expect(await checkMeilisearch(api)).toEqual([]);
  });

  it("makes a key that may do something else than it should anew, with the same value", async () => {
    const { master, keys } = await setup();
    const { results } = await master.ask((client) => client.getKeys({ limit: 1000 }));
    const { uid = "" } = results.find(({ key }) => key === keys.api) ?? {};
    await master.ask((client) => client.deleteKey(uid));
    await master.ask((client) =>
      client.createKey({ uid, actions: ["search"], indexes: [master.nameOf("snippets")], expiresAt: null }),
    );
    expect(await setupMeilisearch(master)).toEqual(keys);
    const made = await master.ask((client) => client.getKey(uid));
    expect(made.actions).toContain("documents.get");
  });

  it("keeps generations apart whose ids differ in case alone", async () => {
    const { index } = await setup();
    await index.load("g1", partsOf(some), control());
    await index.load("G1", partsOf(some.slice(0, 1)), control());
    expect(await index.count("g1")).toBe(2);
    expect(await index.count("G1")).toBe(1);
    expect(await index.generations()).toEqual(["G1", "g1"]);
    await index.drop("G1");
    expect(await index.count("g1")).toBe(2);
  });

  it("lists what a broken load has left behind, drops it, and loads over it", async () => {
    const { index } = await setup();
    await expect(index.load("g1", breakingOff(), control())).rejects.toThrow("The part cannot be read.");
    await expect.poll(() => index.generations(), { timeout: 30_000 }).toEqual(["g1"]);
    expect(await index.count("g1")).toBeUndefined();
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject(notLoaded);
    expect(await index.load("g1", partsOf(many), control())).toBe(many.length);
    await index.drop("g1");
    await expect(index.load("g1", breakingOff(), control())).rejects.toThrow("The part cannot be read.");
    await index.drop("g1");
    expect(await index.generations()).toEqual([]);
  });

  it("reports while it waits, and stops when it is told to", async () => {
    const { index } = await setup();
    const stop = new AbortController();
    let reports = 0;
    const report = () => {
      reports += 1;
      if (reports === 3) stop.abort(new Error("Cancelled."));
    };
    const load = index.load("g1", partsOf(many), { signal: stop.signal, report, language: "" });
    await expect(load).rejects.toThrow("Cancelled.");
    expect(await index.count("g1")).toBeUndefined();
    await index.drop("g1");
    expect(await index.generations()).toEqual([]);
  });

  it("answers nothing from a generation that lost a document behind its back, and loads it again", async () => {
    const { index, master } = await setup();
    await index.load("g1", partsOf(some), control());
    await index.load("g2", partsOf(some), control());
    const { read } = await ask(index, "g1", "cache");
    const condition = 'snap = "g1" AND kinds = "info"';
    await master.finish(await master.write("snippets", (all) => all.deleteDocuments({ filter: condition })));
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject(notLoaded);
    await expect(read(["b"])).rejects.toMatchObject(searchFailed);
    expect(await index.count("g1")).toBeUndefined();
    expect((await ask(index, "g2", "cache")).candidates).toHaveLength(2);
    expect(await index.load("g1", partsOf(some), control())).toBe(2);
    expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
  });

  it("clears a generation that has more documents than it should, so that it can be loaded", async () => {
    const { index, master } = await setup();
    await index.load("g1", partsOf(some), control());
    await master.finish(await master.write("generations", (records) => records.deleteDocument("g1")));
    const fewer = some.slice(0, 1);
    await expect(index.load("g1", partsOf(fewer), control())).rejects.toMatchObject(searchFailed);
    expect(await index.load("g1", partsOf(fewer), control())).toBe(1);
  });

  it("says search_failed of an index that is gone, until it was set up and loaded", async () => {
    const { index, master } = await setup();
    await index.load("g1", partsOf(some), control());
    await master.finish(await master.write("snippets", (all) => all.delete()));
    const gone = { ...searchFailed, message: expect.stringContaining("Run lectern setup") };
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject(gone);
    await expect(index.count("g1")).rejects.toMatchObject(gone);
    await expect(index.load("g1", partsOf(some), control())).rejects.toMatchObject(gone);
    await setupMeilisearch(master);
    expect(await index.count("g1")).toBeUndefined();
    expect(await index.load("g1", partsOf(some), control())).toBe(2);
    expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
  });
});

describe.skipIf(!hasMeilisearch())("with a Meilisearch server that is killed", () => {
  const key = "a-master-key-for-tests-only";

  it("loads to the exact count after a kill in the middle, and still has it after another", async () => {
    const folder = await folderOfTest();
    const first = await started({ folder, key });
    const { index } = await setup({ url: first.url, key });
    await index.load("g1", partsOf(some), control());
    let killed: Promise<void> | undefined;
    const report = () => void (killed ??= first.kill());
    const load = index.load("g2", partsOf(many), { signal: new AbortController().signal, report, language: "" });
    await expect(load).rejects.toMatchObject(searchFailed);
    await killed;
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject(searchFailed);

    const port = Number(new URL(first.url).port);
    const second = await started({ folder, key, port });
    expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
    await expect(ask(index, "g2", "cache")).rejects.toMatchObject(notLoaded);
    expect(await index.load("g2", partsOf(many), control())).toBe(many.length);

    await second.kill();
    await started({ folder, key, port });
    expect(await index.count("g2")).toBe(many.length);
    expect((await ask(index, "g2", "word77")).candidates.map(({ id }) => id)).toEqual(["s77"]);
  });

  it("says search_failed after a restart with an empty folder, and is rebuilt by setting up and loading", async () => {
    const first = await started({ folder: await folderOfTest(), key });
    const { index, libraries, master, keys } = await setup({ url: first.url, key });
    await index.load("g1", partsOf(some), control());
    await libraries.put(libraryEntry("/acme/widgets"));
    await ask(index, "g1", "cache");
    await first.kill();
    await started({ folder: await folderOfTest(), key, port: Number(new URL(first.url).port) });
    await expect(ask(index, "g1", "cache")).rejects.toMatchObject(searchFailed);
    await expect(libraries.candidates([""], "widgets", "", 5)).rejects.toMatchObject(searchFailed);
    expect(await setupMeilisearch(master)).toEqual(keys);
    expect(await libraries.uids()).toEqual([]);
    expect(await index.count("g1")).toBeUndefined();
    await index.load("g1", partsOf(some), control());
    expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
  });
});

it.skipIf(!hasMeilisearch())("a server that is started here keeps everything in its own folder", async () => {
  const before = await readdir(".");
  const folder = await folderOfTest();
  await started({ folder, key: "k".repeat(20) });
  expect(await readdir(folder)).toEqual(expect.arrayContaining(["data.ms", "dumps"]));
  expect(await readdir(".")).toEqual(before);
});

/** Indexes of the test's own. */
async function setup({ url, key } = given ?? { url: "", key: "" }) {
  const prefix = `t${randomBytes(4).toString("hex")}_`;
  const master = createMeilisearch({ url, apiKey: key, prefix });
  const keys = await setupMeilisearch(master);
  const worker = createMeilisearch({ url, apiKey: keys.worker, prefix });
  const api = createMeilisearch({ url, apiKey: keys.api, prefix });
  const libraries = createMeilisearchLibraryIndex(worker);
  return { master, worker, api, keys, index: createMeilisearchPassageIndex(worker), libraries };
}

async function started(options: Parameters<typeof startMeilisearch>[0]) {
  const server = await startMeilisearch(options);
  onTestFinished(() => server.kill());
  return server;
}

async function* breakingOff(): AsyncIterable<Uint8Array> {
  yield* partsOf(many, 1000);
  throw new Error("The part cannot be read.");
}

/**
 * The adapters on Meilisearch against recorded answers of a real server. They are recorded anew with
 * `RECORD_MEILI=http://127.0.0.1:7700 RECORD_MEILI_KEY=<master key> npx vitest run test/search/meilisearch-recorded.test.ts`
 * on a server whose indexes named lectern_* may be lost; delete test/fixtures/meilisearch/ first. That is needed whenever
 * the analysis, the query plan or the tests send something else.
 */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PassageIndex } from "../../domain/ports.ts";
import { createMeilisearch, type MeilisearchServer } from "../../search/meilisearch/client.ts";
import { createReader } from "../../search/meilisearch/caches.ts";
import { createMeilisearchLibraryIndex } from "../../search/meilisearch/library-index.ts";
import { checkMeilisearch, setupMeilisearch } from "../../search/meilisearch/setup.ts";
import { createMeilisearchPassageIndex } from "../../search/meilisearch/passage-index.ts";
import { describeLibraryIndex } from "../contracts/library-index.ts";
import { ask, control } from "../contracts/passage-index-asking.ts";
import { describePassageIndex } from "../contracts/passage-index.ts";
import { prosePassage, partsOf } from "../contracts/passage-samples.ts";
import { startRecordedServer } from "../support/recorded-server.ts";

const record = process.env["RECORD_MEILI"];
const prefix = "lectern_";
const apiKey = process.env["RECORD_MEILI_KEY"] ?? "the-key-of-the-recording";
const indexes = ["snippets", "generations", "libraries"] as const;

describePassageIndex("Meilisearch, as recorded,", async () => {
  const server = await recorded("passage-index");
  return {
    index: createMeilisearchPassageIndex(server),
    reopen: async () => createMeilisearchPassageIndex(server),
  };
});

describeLibraryIndex("Meilisearch, as recorded,", async () => {
  const server = await recorded("library-index");
  const index = createMeilisearchLibraryIndex(server);
  await index.complete?.();
  return { index, reopen: async () => createMeilisearchLibraryIndex(server) };
});

it("sets up an empty server, and changes nothing when it is done again", async () => {
  const server = await recorded("setup", { empty: true });
  await expect(checkMeilisearch(server)).rejects.toMatchObject({
    code: "search_failed",
    message: expect.stringContaining("Run lectern setup"),
  });
  const keys = await setupMeilisearch(server);
  expect(keys.api).not.toBe(keys.worker);
  expect(await setupMeilisearch(server)).toEqual(keys);
  expect(await checkMeilisearch(server)).toEqual([]);
});

it("answers with nothing of a generation that has lost documents, and loads it again", async () => {
  const server = await recorded("passage-index");
  const index = createMeilisearchPassageIndex(server);
  const some = [prosePassage("a", "A cache."), prosePassage("b", "Another cache.")];
  await index.load("g1", partsOf(some), control());
  await ask(index, "g1", "cache");
  const task = await server.write("snippets", (snippets) => snippets.deleteDocuments({ filter: 'kinds = "info"' }));
  await server.finish(task);
  await expect(ask(index, "g1", "cache")).rejects.toMatchObject({ code: "index_rebuilding" });
  expect(await index.count("g1")).toBeUndefined();
  expect(await index.generations()).toEqual(["g1"]);
  expect(await index.load("g1", partsOf(some), control())).toBe(2);
  expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
});

it("asks once more for a question like one before, for what no memory can tell", async () => {
  const { index, countRequests } = await countingIndex();
  await index.load("g1", partsOf([prosePassage("a", "A cache."), prosePassage("b", "A proxy.")]), control());
  const first = await countRequests(() => answer(index, "g1", "the cache or a proxy"));
  expect(first.requests).toBeGreaterThan(1);
  const again = await countRequests(() => answer(index, "g1", "a cache with the proxy"));
  expect(again).toEqual({ requests: 1, result: first.result });
});

it("keeps generations apart in memory that have the same ids, and forgets none that was dropped and loaded again", async () => {
  const { index } = await countingIndex();
  await index.load(
    "g1",
    partsOf([prosePassage("a", "A cache."), prosePassage("b", "A cache and a proxy.")]),
    control(),
  );
  await index.load("g2", partsOf([prosePassage("a", "A proxy."), prosePassage("b", "No such thing.")]), control());
  const proses = { g1: ["A cache and a proxy."], g2: ["A proxy."] };
  for (const generation of ["g1", "g2", "g1"] as const)
    expect(await answer(index, generation, "proxy")).toEqual(proses[generation]);
  await index.drop("g1");
  await expect(answer(index, "g1", "proxy")).rejects.toMatchObject({ code: "index_rebuilding" });
  expect(await answer(index, "g2", "proxy")).toEqual(proses.g2);
});

it("fetches again what there was no room for in memory, and says so of what is gone", async () => {
  const { index, server, countRequests } = await countingIndex();
  const passages = [prosePassage("a", "A cache."), prosePassage("b", "A proxy.")];
  await index.load("g1", partsOf(passages), control());
  const readerOf = (maxBytes: number) =>
    createReader(server, {
      fields: ["url", "tokens"],
      make: ({ url, tokens }) => ({ value: `${url} ${tokens}`, bytes: 60 }),
      maxBytes,
    });
  const result = [...passages].toReversed().map(({ page, tokens }) => `${page.url} ${tokens}`);
  const [roomy, narrow] = [readerOf(120), readerOf(119)];
  for (const requests of [1, 0])
    expect(await countRequests(() => roomy("g1", ["b", "a"]))).toEqual({ requests, result });
  for (const requests of [1, 1])
    expect(await countRequests(() => narrow("g1", ["b", "a"]))).toEqual({ requests, result });
  await index.drop("g1");
  expect(await countRequests(() => roomy("g1", ["b", "a"]))).toEqual({ requests: 0, result });
  await expect(narrow("g1", ["b", "a"])).rejects.toMatchObject({ code: "search_failed" });
  expect(await countRequests(() => roomy("g2", []))).toEqual({ requests: 0, result: [] });
});

/** An index, and a function that counts the requests of some work. */
async function countingIndex() {
  const recording = await recorded("passage-index");
  let requests = 0;
  const server: MeilisearchServer = {
    ...recording,
    ask: (request) => {
      requests += 1;
      return recording.ask(request);
    },
    search(queries) {
      requests += 1;
      return recording.search(queries);
    },
  };
  const countRequests = async <T>(
    work: () => Promise<T>,
  ): Promise<{ readonly requests: number; readonly result: T }> => {
    const before = requests;
    const result = await work();
    return { requests: requests - before, result };
  };
  return { index: createMeilisearchPassageIndex(server), server, countRequests };
}

/** The prose of the passages found, in alphabetical order. */
async function answer(index: PassageIndex, generation: string, question: string): Promise<readonly string[]> {
  const { candidates, read } = await ask(index, generation, question);
  const passages = await read(candidates.map(({ id }) => id));
  return passages
    .flatMap(({ blocks }) => blocks.map((block) => (block.type === "prose" ? block.markdown : "")))
    .toSorted();
}

/** A server with our indexes, all empty; with `empty`, without indexes. */
async function recorded(fixture: string, { empty = false } = {}): Promise<MeilisearchServer> {
  if (record !== undefined) {
    const real = createMeilisearch({ url: record, apiKey, prefix });
    for (const name of indexes)
      await real.finish(await real.write(name, (index) => index.delete()), { missingIsFine: true });
    if (!empty) await setupMeilisearch(real);
  }
  const server = await startRecordedServer({
    file: join(import.meta.dirname, "..", "fixtures", "meilisearch", `${fixture}.json.br`),
    session: expect.getState().currentTestName ?? "",
    record,
    // How often a task is polled depends on timing.
    keep: (request, body) => !request.startsWith("GET /tasks/") || !/"status":"(?:enqueued|processing)"/.test(body),
  });
  onTestFinished(() => server.close());
  return createMeilisearch({ url: server.url, apiKey, prefix });
}

/**
 * The adapters on Meilisearch against recorded answers of a real server. They are recorded anew with
 * `RECORD_MEILI=http://127.0.0.1:7700 RECORD_MEILI_KEY=<master key> npx vitest run test/search/meilisearch-recorded.test.ts`
 * on a server whose indexes named lectern_* may be lost; delete test/fixtures/meilisearch/ first. That is needed whenever
 * the analysis, the query plan or the tests send something else.
 */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import type { MeilisearchServer } from "../../search/meilisearch/client.ts";
import { createMeilisearchLibraryIndex } from "../../search/meilisearch/library-index.ts";
import { checkMeilisearch, setupMeilisearch } from "../../search/meilisearch/setup.ts";
import { createMeilisearchSnippetIndex } from "../../search/meilisearch/snippet-index.ts";
import { describeLibraryIndex } from "../contracts/library-index.ts";
import { ask, control, describeSnippetIndex } from "../contracts/snippet-index.ts";
import { infoSnippet, partsOf } from "../contracts/snippet-samples.ts";
import { startRecordedServer } from "../support/recorded-server.ts";

const record = process.env["RECORD_MEILI"];
const prefix = "lectern_";
const apiKey = process.env["RECORD_MEILI_KEY"] ?? "the-key-of-the-recording";
const indexes = ["snippets", "generations", "libraries"] as const;

describeSnippetIndex("Meilisearch, as recorded,", async () => {
  const server = await recorded("snippet-index");
  return {
    index: createMeilisearchSnippetIndex(server),
    reopen: async () => createMeilisearchSnippetIndex(server),
  };
});

describeLibraryIndex("Meilisearch, as recorded,", async () => {
  const server = await recorded("library-index");
  return {
    index: createMeilisearchLibraryIndex(server),
    reopen: async () => createMeilisearchLibraryIndex(server),
  };
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
  const server = await recorded("snippet-index");
  const index = createMeilisearchSnippetIndex(server);
  const some = [infoSnippet("a", "A cache."), infoSnippet("b", "Another cache.")];
  await index.load("g1", partsOf(some), control());
  await ask(index, "g1", "cache");
  const task = await server.write("snippets", (snippets) => snippets.deleteDocuments({ filter: 'kind = "info"' }));
  await server.finish(task);
  await expect(ask(index, "g1", "cache")).rejects.toMatchObject({ code: "search_failed" });
  expect(await index.count("g1")).toBeUndefined();
  expect(await index.generations()).toEqual(["g1"]);
  expect(await index.load("g1", partsOf(some), control())).toBe(2);
  expect((await ask(index, "g1", "cache")).candidates).toHaveLength(2);
});

/** A server with our indexes, which are empty, unless there are to be none. */
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
    // That a task is under way depends on the moment.
    keep: (request, body) => !request.startsWith("GET /tasks/") || !/"status":"(?:enqueued|processing)"/.test(body),
  });
  onTestFinished(() => server.close());
  return createMeilisearch({ url: server.url, apiKey, prefix });
}

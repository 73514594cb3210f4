import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import { createMeilisearchLibraryIndex } from "../../search/meilisearch/library-index.ts";
import { indexSettings, searchCutoff, passageFormat } from "../../search/meilisearch/settings.ts";
import { checkMeilisearch } from "../../search/meilisearch/setup.ts";
import { createMeilisearchPassageIndex } from "../../search/meilisearch/passage-index.ts";
import { fromSnap, toSnap, toWord } from "../../search/meilisearch/words.ts";
import { ask, control } from "../contracts/passage-index-asking.ts";
import { prosePassage, partsOf } from "../contracts/passage-samples.ts";
import { serve } from "../sources/fetch/setup.ts";

type Answer = { readonly status?: number; readonly body: string } | "hangs";

const cutOff = { code: "search_failed", message: expect.stringContaining("stopped a search") };

it.each<[string, Answer, string]>([
  ["does not answer in time", "hangs", "did not answer in time"],
  ["is behind a proxy that answers for it", { status: 502, body: "<h1>Bad Gateway</h1>" }, "MEILI_URL"],
  ["refuses the key", problem(403, "invalid_api_key", "The key of db.internal is invalid."), "MEILI_API_KEY"],
  ["no longer knows the key", problem(403, "invalid_api_key", "No."), "its data was lost, run lectern setup"],
  ["has no such index", problem(404, "index_not_found", "Index `x_snippets` not found."), "Run lectern setup"],
  ["is busy", problem(503, "too_many_search_requests", "Too many at db.internal."), "answered 503"],
])("fails with search_failed for a server that %s", async (_, answer, words) => {
  const server = await serverAnswering(() => answer);
  const index = createMeilisearchPassageIndex(server);
  // API clients see the message. The server's own text may have file names, addresses or keys.
  const failure = { code: "search_failed", message: expect.stringMatching(withoutInternals(words)) };
  await expect(ask(index, "g1", "cache")).rejects.toMatchObject(failure);
  await expect(index.load("g1", partsOf([]), control())).rejects.toMatchObject(failure);
  await expect(createMeilisearchLibraryIndex(server).candidates([""], "x", "", 5)).rejects.toMatchObject(failure);
});

it("fails with search_failed if nothing listens, and hides the key", async () => {
  const server = await serverAnswering(() => json({ results: [] }));
  const closed = createMeilisearch({ url: "http://127.0.0.1:9", apiKey: "a-secret-key", prefix: "x_" });
  const failed = createMeilisearchPassageIndex(closed).ready();
  await expect(failed).rejects.toMatchObject({
    code: "search_failed",
    message: expect.stringContaining("unreachable"),
  });
  await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining("a-secret-key") });
  await expect(createMeilisearchPassageIndex(server).ready()).resolves.toBeUndefined();
});

it("treats a task unknown to the server as done, and reports one that failed", async () => {
  const server = await serverAnswering((path) => {
    if (path === "/tasks/1") return problem(404, "task_not_found", "Task `1` not found.");
    if (path === "/tasks/2")
      return json({ status: "failed", error: { code: "io_error", message: "No space left in /meili_data" } });
    return json({ status: "canceled", error: null });
  });
  await expect(server.finish(1)).resolves.toBeUndefined();
  await expect(server.finish(2)).rejects.toMatchObject({
    code: "search_failed",
    message: "Task 2 of Meilisearch failed with io_error. Its log says more. Try again when that is solved.",
    cause: { message: "No space left in /meili_data" },
  });
  await expect(server.finish(3)).rejects.toMatchObject({
    message: expect.stringContaining("Task 3 of Meilisearch canceled."),
  });
});

it("polls a task until it ends, reports each wait, and stops when aborted", async () => {
  let polls = 0;
  const server = await serverAnswering(() => json({ status: ++polls < 4 ? "processing" : "succeeded", error: null }));
  let waits = 0;
  await server.finish(1, { waiting: () => void (waits += 1) });
  expect(waits).toBe(3);

  const endless = await serverAnswering(() => json({ status: "enqueued", error: null }));
  const stop = new AbortController();
  const waiting = () => stop.abort(new Error("Cancelled."));
  await expect(endless.finish(1, { signal: stop.signal, waiting })).rejects.toThrow("Cancelled.");
});

it("fails a load whose documents the server does not all have, and records nothing", async () => {
  const paths: string[] = [];
  const server = await serverAnswering((path) => {
    paths.push(path);
    if (path === "/multi-search") return json({ results: [{ hits: [] }, { hits: [], estimatedTotalHits: 1 }] });
    return json(path.startsWith("/tasks/") ? { status: "succeeded", error: null } : { taskUid: 1 });
  });
  const some = [prosePassage("a", "One."), prosePassage("b", "Two.")];
  const load = createMeilisearchPassageIndex(server).load("g1", partsOf(some), control());
  await expect(load).rejects.toMatchObject({ code: "search_failed", message: expect.stringContaining("1 passages") });
  expect(paths.filter((path) => path.startsWith("/indexes/x_generations"))).toEqual([]);
});

it("returns nothing from searches that the server cut off, and caches nothing of them", async () => {
  const durations = [searchCutoff, searchCutoff - 1, searchCutoff];
  const queryCounts: number[] = [];
  const server = await serverAnswering((_, body) => {
    const { queries } = JSON.parse(body) as { queries: readonly unknown[] };
    const empty = { hits: [], estimatedTotalHits: 1, processingTimeMs: durations.shift() ?? 0 };
    const twoHits = { ...empty, estimatedTotalHits: 2 };
    const record = { ...empty, hits: [{ id: "g1", format: passageFormat, snippets: 2, averageLength: "{}" }] };
    queryCounts.push(queries.length);
    return json({ results: [...queries.slice(2).map(() => empty), record, twoHits] });
  });
  const index = createMeilisearchPassageIndex(server);
  const question = async () => ask(index, "g1", "cache proxy");
  // Each request has two searches for the state of the generation. Here those for the frequencies of the words are cut off.
  await expect(question()).rejects.toMatchObject(cutOff);
  // They are repeated, and cached. Here the search for both words and those for each term are cut off,
  await expect(question()).rejects.toMatchObject(cutOff);
  // so all of them are repeated. From then on only the search for both words is.
  expect((await question()).candidates).toEqual([]);
  expect((await question()).candidates).toEqual([]);
  expect(queryCounts).toEqual([4, 4, 5, 5, 3]);
});

it("lists no libraries from a search that the server cut off", async () => {
  const server = await serverAnswering((_, body) => {
    const { queries } = JSON.parse(body) as { queries: readonly unknown[] };
    return json({
      results: queries.map((_query, at) => ({ hits: [], processingTimeMs: at === 1 ? searchCutoff : 0 })),
    });
  });
  await expect(createMeilisearchLibraryIndex(server).candidates([""], "x", "", 5)).rejects.toMatchObject(cutOff);
});

it.each([
  ["1.49.2", /cannot use/],
  ["2.0.0", /cannot use/],
])("refuses version %s", async (pkgVersion, message) => {
  const server = await serverAnswering(() => json({ pkgVersion }));
  await expect(checkMeilisearch(server)).rejects.toThrow(message);
});

it.each([
  ["1.50.7", 0],
  ["1.51.0", 1],
])("uses version %s with %d warnings", async (pkgVersion, warnings) => {
  const server = await serverAnswering((path) => {
    const name = /x_(\w+)\/settings$/.exec(path)?.[1];
    return json(Object.entries(indexSettings).find(([index]) => index === name)?.[1] ?? { pkgVersion });
  });
  expect(await checkMeilisearch(server)).toHaveLength(warnings);
});

it("encodes each text as its own word of a-z and 0-9", () => {
  const texts = ["node.js", "nodejs", "c++", "c#", "naïve", "naive", "数据", "", "v2.1.0", "A", "a", "x".repeat(300)];
  const words = texts.map(toWord);
  expect(new Set(words).size).toBe(texts.length);
  for (const word of words) expect(word).toMatch(/^[a-z0-9]{1,100}$/);
  expect(toWord("router2")).toBe("router2");
});

it("distinguishes generation ids by case, and decodes them", () => {
  for (const id of ["g1", "G1", "aB_c-D", "0"]) expect(fromSnap(toSnap(id))).toBe(id);
  expect(toSnap("G1").toLowerCase()).not.toBe(toSnap("g1"));
});

const withoutInternals = (words: string): RegExp => new RegExp(`^(?!.*(?:internal|x_snippets)).*${words}`, "s");

function problem(status: number, code: string, message: string): Answer {
  return { status, body: JSON.stringify({ message, code, type: "invalid_request", link: "" }) };
}

function json(value: unknown): Answer {
  return { body: JSON.stringify(value) };
}

/** A client of a server with this answer for each path and body. */
async function serverAnswering(answer: (path: string, body: string) => Answer) {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = answer((request.url ?? "").split("?")[0] ?? "", await text(request));
    if (given !== "hangs") response.writeHead(given.status ?? 200).end(given.body);
  };
  const host = await serve(respond);
  return createMeilisearch({ url: `http://${host}`, apiKey: "a-secret-key", prefix: "x_", timeout: 300 });
}

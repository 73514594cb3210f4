import { describe, expect, it } from "vitest";
import { loadConfig } from "../../cli/config.ts";
import { createEmbedder, type EmbedderOptions } from "../../sources/embeddings/index.ts";
import { startEmbeddings } from "../support/embeddings-server.ts";

const { signal } = new AbortController();

async function setup(options: Partial<EmbedderOptions> = {}) {
  const { state, url } = await startEmbeddings();
  const results: string[] = [];
  const embedder = createEmbedder({
    url: new URL(`${url}/`),
    model: "tiny",
    apiKey: null,
    onQuestion: (result) => results.push(result),
    ...options,
  });
  return { state, embedder, results };
}

const reply = (body: unknown): NonNullable<Awaited<ReturnType<typeof setup>>["state"]["answer"]> => {
  return (response) => response.end(typeof body === "string" ? body : JSON.stringify(body));
};
const vectors = (...embeddings: unknown[]) =>
  reply({ data: embeddings.map((embedding, index) => ({ index, embedding })) });

describe("the embeddings server", () => {
  it("gets the model, the texts and the key, and its vectors become signed bytes in the order of the texts", async () => {
    const { state, embedder } = await setup({ apiKey: "the-key" });
    expect(await embedder.embed(["delete it", "paint and make it"], signal)).toEqual([
      Int8Array.of(127, 0, 0, 13),
      Int8Array.of(0, 127, 127, 13),
    ]);
    expect(state.asked).toEqual([
      { model: "tiny", input: ["delete it", "paint and make it"], authorization: "Bearer the-key" },
    ]);
  });

  it.each([
    ["another number of vectors", vectors([1], [1], [1]), "a vector for each of 2 texts"],
    ["an index twice", reply({ data: [0, 0].map((index) => ({ index, embedding: [1] })) }), "a vector for each of 2"],
    ["vectors of two lengths", vectors([1, 2], [1]), "differ in length"],
    ["no values", vectors([], []), "not in the form"],
    ["more than 4,096 values", vectors(Array(4097).fill(1), [1]), "not in the form"],
    ["what is no number", vectors([null], ["1"]), "not in the form"],
    [
      "what is no finite number",
      reply('{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}'),
      "form",
    ],
    ["NaN", reply('{"data":[{"index":0,"embedding":[NaN]}]}'), "not in the form"],
    ["no JSON", reply("<html>"), "not in the form"],
    ["nothing of it", reply({}), "not in the form"],
    ["without an end", reply(" ".repeat(2_000_000)), "more than"],
    ["an error", (response) => response.writeHead(500).end("no"), "it answers 500"],
    ["a redirect", (response) => response.writeHead(307, { location: "/v1/embeddings" }).end(), "redirect"],
    ["a broken connection", (response) => response.destroy(), "does not work"],
  ] satisfies [string, NonNullable<Awaited<ReturnType<typeof setup>>["state"]["answer"]>, string][])(
    "that answers with %s is a clear failure",
    async (_, answer, reason) => {
      const { state, embedder, results } = await setup();
      state.answer = answer as typeof state.answer;
      const failing = embedder.embed(["one", "two"], signal);
      await expect(failing).rejects.toMatchObject({ code: "service_unavailable" });
      await expect(failing).rejects.toThrow(reason);
      await expect(failing).rejects.toThrow("check EMBEDDINGS_URL");
      expect(await embedder.ofQuestion("one")).toBeUndefined();
      expect(results).toEqual(["failed"]);
    },
  );

  it("that asks to wait is asked again", async () => {
    const { state, embedder } = await setup();
    state.answer = (response) => {
      state.answer = undefined;
      response.writeHead(429).end();
    };
    expect(await embedder.embed(["make"], signal)).toHaveLength(1);
    expect(state.asked).toHaveLength(2);
  });

  it("that is slow costs a question its deadline, and after three of them nothing for a while", async () => {
    const { state, embedder, results } = await setup({ deadline: 100, openFor: 1000 });
    state.answer = () => undefined;
    const started = performance.now();
    for (const question of ["a", "b", "c", "d", "e"]) expect(await embedder.ofQuestion(question)).toBeUndefined();
    expect(performance.now() - started).toBeGreaterThan(290);
    expect(results).toEqual(["slow", "slow", "slow", "open", "open"]);
    expect(state.asked).toHaveLength(3);

    state.answer = undefined;
    await expect.poll(() => embedder.ofQuestion("make")).toEqual(Int8Array.of(0, 0, 127, 13));
    expect(results.at(-1)).toBe("answered");
  });

  it("is asked once for the same question", async () => {
    const { state, embedder, results } = await setup();
    expect(await embedder.ofQuestion("make")).toEqual(await embedder.ofQuestion("make"));
    expect(results).toEqual(["answered", "cached"]);
    expect(state.asked).toHaveLength(1);
  });

  it("gets no more of a text than models read, and only whole characters", async () => {
    const { state, embedder } = await setup();
    await embedder.embed([`${"a".repeat(1999)}😀`], signal);
    expect(state.texts()).toEqual([`${"a".repeat(1999)}\ufffd`]);
  });
});

it("refuses a server without a model", () => {
  const url = "http://127.0.0.1:11434/v1";
  expect(() => loadConfig({ EMBEDDINGS_URL: url })).toThrow("EMBEDDINGS_URL needs EMBEDDINGS_MODEL");
  expect(loadConfig({ EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: "all-minilm" }).embeddingsUrl?.href).toBe(url);
  expect(loadConfig({ EMBEDDINGS_MODEL: "all-minilm" }).embeddingsUrl).toBeNull();
});

import { expect, it } from "vitest";
import { explainAnswer, locateLibrary } from "../../domain/answering.ts";
import { admin, openHealing } from "../contracts/healing.ts";
import { startEmbeddings } from "../support/embeddings-server.ts";

const id = "/acme/widgets";
/** By words and by the table the first is the answer to `query`, by what the model knows the second. */
const pages = {
  "docs/record.md": "# The record\n\nA record of the table has a colour. Each record has a record number.\n",
  "docs/elephant.md": "# Elephants of the record\n\nThe elephants of a record walk away from the table at night.\n",
  "docs/lists.md": "# Lists\n\nA list shows the widgets of a shop in the order of their names.\n",
};
const query = "delete a record";
const first = "Elephants of the record";
const firstByTable = "The record";

/** A whole Lectern with an embeddings server, and a function that asks it. */
async function setup(env: Readonly<Record<string, string>> = {}) {
  const { state, url } = await startEmbeddings();
  const healing = await openHealing({ EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: "tiny", ...env });
  return { state, url, ...healing, ask: (question?: string) => askOf(healing.lectern, question) };
}

type Healing = Awaited<ReturnType<typeof openHealing>>;

/** The titles of the answer, the best first, what told meanings, and the milliseconds that it took. */
async function askOf({ ports }: Healing["lectern"], question = query) {
  const started = performance.now();
  const located = await locateLibrary(ports, admin, id);
  const { passages, order } = await explainAnswer(ports, located, { query: question, tokens: 5000, limit: 10 });
  const byId = new Map(passages.map((one) => [one.id, one.title]));
  const titles = order.passages.flatMap(({ candidate }) => byId.get(candidate.id) ?? []);
  return { first: titles[0], by: order.meaningBy, took: performance.now() - started };
}

it("orders by the embeddings of the passages and the question, and says so", async () => {
  const plain = await openHealing();
  await plain.add(id, pages);
  expect(await askOf(plain.lectern)).toMatchObject({ first: firstByTable, by: "table" });

  const { state, ask, add } = await setup({ EMBEDDINGS_API_KEY: "the-key" });
  await add(id, pages);
  expect(state.texts().toSorted()).toEqual([
    "Elephants of the record. The elephants of a record walk away from the table at night.",
    "Lists. A list shows the widgets of a shop in the order of their names.",
    "The record. A record of the table has a colour. Each record has a record number.",
  ]);
  expect(await ask()).toMatchObject({ first, by: "tiny" });
  expect(state.asked.at(-1)).toEqual({ model: "tiny", input: [query], authorization: "Bearer the-key" });
});

it("answers by the table within the deadline while the server is silent or wrong, and by the model again after that", async () => {
  const { state, ask, add } = await setup();
  await add(id, pages);
  state.answer = () => undefined;
  const silent = await ask();
  expect(silent).toMatchObject({ first: firstByTable, by: "table" });
  expect(silent.took).toBeGreaterThan(290);
  expect(silent.took).toBeLessThan(2000);
  state.answer = (response) => response.writeHead(500).end();
  expect(await ask()).toMatchObject({ by: "table" });
  state.answer = undefined;
  expect(await ask()).toMatchObject({ first, by: "tiny" });
  // A vector of another length than those of the passages.
  state.answer = (response) => response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2, 3] }] }));
  expect(await ask(`${query}s`)).toMatchObject({ first: firstByTable, by: "table" });
});

it("asks at a refresh only for what is new", async () => {
  const { state, ask, add, write, refresh, settle } = await setup();
  await add(id, pages);
  state.asked.length = 0;
  await write(id, { "docs/lists.md": "# Lists\n\nA list shows the gears of a shop in the order of their names.\n" });
  await refresh(id);
  await settle();
  expect(state.texts()).toEqual(["Lists. A list shows the gears of a shop in the order of their names."]);
  expect(await ask()).toMatchObject({ first, by: "tiny" });
});

it("loads a generation that the index has lost without asking for its embeddings again", async () => {
  const { state, ask, add, live, lectern, sweep, settle } = await setup();
  await add(id, pages);
  await lectern.stores.passages.drop((await live(id)).id);
  state.asked.length = 0;
  await sweep();
  await settle();
  expect(state.texts()).toEqual([]);
  expect(await ask()).toMatchObject({ first, by: "tiny" });
});

it("publishes with the table while the server does not work, says so, and the sweep embeds later", async () => {
  const { state, ask, add, live, lastRun, sweep, settle, problems, catalog } = await setup();
  // It works at first, and fails at the passages.
  state.answer = (response, input) =>
    input[0] === "ready"
      ? response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0, 0, 0] }] }))
      : response.destroy();
  await add(id, pages);
  expect(await lastRun(id)).toMatchObject({ outcome: "published" });
  const { id: generation } = await live(id);
  expect(await ask()).toMatchObject({ first: firstByTable, by: "table" });

  // Down altogether: no run is opened for what would fail.
  state.answer = (response) => response.destroy();
  await sweep();
  expect(problems).toEqual([expect.objectContaining({ code: "service_unavailable" })]);
  expect(await catalog.runs.openRuns()).toEqual([]);

  state.answer = undefined;
  await sweep();
  await settle();
  expect((await live(id)).id).toBe(generation);
  expect(await ask()).toMatchObject({ first, by: "tiny" });
  state.asked.length = 0;
  await sweep();
  await settle();
  expect(state.asked).toEqual([]);
});

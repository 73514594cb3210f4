import { expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";
import type { Passage } from "../../domain/passage.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** Passages with a text. */
function saying(...texts: readonly string[]): readonly Passage[] {
  return texts.map((markdown, at) => ({ ...prosePassage, id: `p${at}`, blocks: [{ type: "prose", markdown }] }));
}

/** Two libraries about mail, of which `/acme/post` has more passages about it, and one about widgets. */
async function about() {
  const world = await setup();
  const { send, submit, finish } = world;
  const add = async (id: string, description: string, passages: readonly Passage[], fields = {}) =>
    finish(await submit(id, { description, ...fields }), passages);
  await add("/acme/letters", "Sends mail.", saying("A mail is sent."));
  await add("/acme/post", "Reads mail.", saying("A mail is read.", "Another mail."));
  await add("/acme/widgets", "Makes widgets.", [codePassage, prosePassage]);
  const ask = (query: string, request = {}) =>
    send("GET", `/v2/ask?${new URLSearchParams({ query }).toString()}`, { key: null, ...request });
  return { ...world, add, ask };
}

it("answers from the library that answers best, and names others that may", async () => {
  const { ask, send } = await about();
  const { status, headers, body } = await ask("does mail arrive");
  expect(status).toBe(200);
  expect(headers["X-Lectern-Library"]).toBe("/acme/post");
  const { body: own } = await send("GET", "/v2/context?libraryId=/acme/post&query=does+mail+arrive");
  expect(body).toBe(`Answered from /acme/post. Others that may: /acme/letters.\n\n${own as string}`);
});

it("answers as JSON with the library and the others", async () => {
  const { send } = await about();
  const { body } = await send("GET", "/v2/ask?query=does+mail+arrive&type=json");
  const { body: own } = await send("GET", "/v2/context?libraryId=/acme/post&query=does+mail+arrive&type=json");
  expect(body).toEqual({ library: "/acme/post", others: ["/acme/letters"], ...(own as object) });
});

it("answers from the library that the question names, whatever others say", async () => {
  const { ask } = await about();
  expect((await ask("does mail of letters arrive")).headers["X-Lectern-Library"]).toBe("/acme/letters");
});

it("says what to do if no library says anything about the question", async () => {
  const { ask } = await about();
  expect(await ask("zebra")).toMatchObject({
    status: 404,
    body: { error: "library_not_found", message: expect.stringContaining("Name the library in the question") },
  });
});

it("passes over a library that the index has lost, and fails as that one if there is no other", async () => {
  const { ask, loaded, lost, catalog } = await about();
  const generationOf = async (id: string) => {
    const view = await catalog.libraries.find([""], id, "");
    return view?.version?.live?.id ?? "";
  };
  loaded.delete(await generationOf("/acme/post"));
  expect((await ask("does mail arrive")).headers["X-Lectern-Library"]).toBe("/acme/letters");
  loaded.delete(await generationOf("/acme/letters"));
  expect(await ask("does mail arrive")).toMatchObject({ status: 503, body: { error: "index_rebuilding" } });
  expect(lost).toEqual(expect.arrayContaining([await generationOf("/acme/post"), await generationOf("/acme/letters")]));
});

it("asks and names only what the caller may read", async () => {
  const { add, ask, addKey } = await about();
  await add("/acme/secret", "Mail.", saying("A mail.", "Another mail.", "More mail."), { private: true });
  const { key } = await addKey(["read"]);
  expect((await ask("does mail arrive", { key })).headers["X-Lectern-Library"]).toBe("/acme/secret");
  expect((await ask("does mail arrive")).body).not.toContain("secret");
  const { key: limited } = await addKey(["read"], { libraries: ["/acme/letters"] });
  expect((await ask("does mail arrive", { key: limited })).body).toContain("Answered from /acme/letters.\n");
  const { key: other } = await addKey(["read"], { libraries: ["/other/*"] });
  expect((await ask("does mail arrive", { key: other })).status).toBe(404);
});

it("answers 304 to the ETag of an unchanged answer, and not once another library answers", async () => {
  const { add, ask } = await about();
  const tag = (await ask("does mail arrive")).headers["ETag"] ?? "";
  expect((await ask("does mail arrive", { headers: { "if-none-match": tag } })).status).toBe(304);
  await add("/acme/third", "Mail.", saying("A mail."));
  const changed = await ask("does mail arrive", { headers: { "if-none-match": tag } });
  expect(changed).toMatchObject({ status: 200, body: expect.stringContaining("/acme/third") });
});

it("keeps the budget with the sentence above the answer, and counts one answer", async () => {
  const { add, send, counts } = await about();
  await add(
    "/acme/long",
    "Mail.",
    saying(...Array.from({ length: 9 }, (_, at) => `Mail ${at}. ${"So it goes. ".repeat(20)}`)),
  );
  const { body } = await send("GET", "/v2/ask?query=does+mail+arrive&tokens=200");
  expect(estimateTokens(body as string)).toBeLessThanOrEqual(200);
  expect(counts.answers).toHaveLength(1);
});

it("finds libraries by what they say where no name fits, and says so", async () => {
  const { send } = await about();
  const search = async (libraryName: string) =>
    (await send("GET", `/v2/libs/search?${new URLSearchParams({ libraryName, query: "mail" }).toString()}`)).body;
  expect(await search("does mail arrive")).toMatchObject({
    results: [{ id: "/acme/letters" }, { id: "/acme/post" }],
    matchedBy: "content",
  });
  expect(await search("letters")).not.toHaveProperty("matchedBy");
  expect(await search("zebra")).toMatchObject({ results: [{ id: "/acme/letters" }, { id: "/acme/post" }] });
});

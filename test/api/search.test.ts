import { expect, it } from "vitest";

import { uidOf } from "../support/uid-of.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

async function indexed() {
  const world = await setup();
  await world.finish(await world.submit("/acme/widgets"), [codePassage, prosePassage]);
  const search = (query: string, request = {}) =>
    world.send("GET", `/v2/libs/search?${query}`, { key: null, ...request });
  return { ...world, search };
}

it("finds libraries by name without a key, with every field of clients", async () => {
  const { search } = await indexed();
  const { status, body } = await search("libraryName=widgets&query=how%20to%20make%20one&fast=true");
  expect(status).toBe(200);
  expect(body).toMatchInlineSnapshot(`
    {
      "results": [
        {
          "branch": "main",
          "description": "",
          "id": "/acme/widgets",
          "lastUpdateDate": "2026-01-02T03:04:05.000Z",
          "source": "https://git.example.com/x",
          "state": "finalized",
          "title": "widgets",
          "totalSnippets": 3,
          "totalTokens": 17,
          "trustScore": 7,
          "versions": [
            "v1.0",
          ],
        },
      ],
      "searchFilterApplied": false,
    }
  `);
});

it("returns an empty list without matches", async () => {
  const { search } = await indexed();
  expect(await search("libraryName=zebra&query=a")).toMatchObject({
    status: 200,
    body: { results: [], searchFilterApplied: false },
  });
});

it.each([
  ["libraryName=widgets", "query is missing."],
  ["query=widgets", "libraryName is missing."],
  ["", "libraryName is missing. query is missing."],
  ["libraryName=&query=a", "libraryName must have 1 to 500 characters."],
  [`libraryName=a&query=${"q".repeat(501)}`, "query must have 1 to 500 characters."],
  [`libraryName=${"n".repeat(501)}&query=a`, "libraryName must have 1 to 500 characters."],
])("refuses ?%s with a sentence", async (query, message) => {
  const { search } = await indexed();
  expect(await search(query)).toMatchObject({ status: 400, body: { error: "validation_error", message } });
});

it("accepts 1 and 500 characters", async () => {
  const { search } = await indexed();
  expect((await search(`libraryName=a&query=${"q".repeat(500)}`)).status).toBe(200);
  expect((await search(`libraryName=${"n".repeat(500)}&query=a`)).status).toBe(200);
});

it("lets a published client omit one parameter, but not both", async () => {
  const { search } = await indexed();
  const headers = { "x-context7-source": "cli" };
  for (const query of ["libraryName=widgets", "query=widgets", "libraryName=widgets&query="]) {
    expect(await search(query, { headers })).toMatchObject({
      status: 200,
      body: { results: [{ id: "/acme/widgets" }] },
    });
  }
  expect((await search("", { headers })).status).toBe(400);
});

it("shows private libraries to their teamspace only, in place of a public one with the same ID", async () => {
  const { search, submit, finish, addKey } = await indexed();
  await finish(await submit("/acme/widgets", { private: true }), [codePassage]);
  const { key } = await addKey(["read"], { teamspace: "other" });
  const ids = async (request: object) => {
    const { body } = await search("libraryName=widgets&query=a", request);
    return (body as { results: { totalSnippets: number }[] }).results.map(({ totalSnippets }) => totalSnippets);
  };
  // A passage with prose and code counts as both.
  expect(await ids({})).toEqual([3]);
  expect(await ids({ key })).toEqual([3]);
  expect(await ids({ key: undefined })).toEqual([2]);
});

it("leaves out libraries outside of the key's patterns, and says so", async () => {
  const { search, addKey } = await indexed();
  const { key } = await addKey(["read"], { libraries: ["/other/*"] });
  expect((await search("libraryName=widgets&query=a", { key })).body).toEqual({
    results: [],
    searchFilterApplied: true,
  });
});

it("answers 304 to the ETag of an unchanged answer", async () => {
  const { search } = await indexed();
  const { headers } = await search("libraryName=widgets&query=a");
  const again = await search("libraryName=widgets&query=a", { headers: { "if-none-match": headers["ETag"] ?? "" } });
  expect(again).toMatchObject({ status: 304, body: null });
});

it("needs a key if anonymous callers are off", async () => {
  const { send } = await setup({ anonymous: "off" });
  for (const target of ["/v2/libs/search?libraryName=a&query=a", "/v2/context?libraryId=/a/b&query=a"]) {
    expect(await send("GET", target, { key: null })).toMatchObject({ status: 401, body: { error: "invalid_api_key" } });
    expect((await send("GET", target)).status).not.toBe(401);
  }
});

it("leaves out a library that is in the index before it can be read", async () => {
  const { send, submit, finish, search, options, ...world } = await indexed();
  const { libraries } = options.ports;
  const runId = await submit("/acme/gadgets");
  const uid = await uidOf(world.catalog, "/acme/gadgets");
  const putAhead = async (from: string) => {
    const [entry] = await libraries.entries([from]);
    const key = { teamspace: "", id: "/acme/gadgets" };
    if (entry) await libraries.put({ ...entry, uid, id: key.id, key, title: "gadgets", isAhead: true });
  };
  await putAhead((await libraries.uids())[0] ?? "");
  const idsFound = async () => {
    const { body } = await search("libraryName=gadgets&query=a");
    return (body as { results: { id: string }[] }).results.map(({ id }) => id);
  };
  const ask = async () => (await send("GET", "/v2/context?libraryId=/acme/gadgets&query=a")).status;
  expect([await ask(), await idsFound()]).toEqual([202, []]);
  await finish(runId, [codePassage]);
  await putAhead(uid);
  expect([await ask(), await idsFound()]).toEqual([200, ["/acme/gadgets"]]);
});

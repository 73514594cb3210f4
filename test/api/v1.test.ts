import { expect, it } from "vitest";
import { live } from "./live.ts";

it("GET /v1/{owner}/{repo} answers as /v2/context does, on a topic or with how one begins, within its tokens", async () => {
  const { send, ask } = await live();
  const text = await send("GET", "/v1/acme/widgets?topic=widget", { key: null });
  expect(text).toMatchObject({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  expect(text.body).toBe((await ask("query=widget&tokens=10000")).body);
  const json = await send("GET", "/v1/acme/widgets?topic=widget&type=json&tokens=200", { key: null });
  expect(json.body).toEqual((await ask("query=widget&tokens=200&type=json")).body);
  const begun = await send("GET", "/v1/acme/widgets", { key: null });
  expect(begun.body).toBe((await ask("query=getting+started&tokens=10000")).body);
  expect((await send("GET", "/v1/acme/widgets?tokens=99", { key: null })).status).toBe(400);
});

it("GET /v1/{owner}/{repo}/{version} is of that version, and 404 names those that there are", async () => {
  const { send } = await live();
  const answer = await send("GET", "/v1/acme/widgets/v9?topic=widget", { key: null });
  expect(answer).toMatchObject({ status: 404, body: { error: "tag_not_found" } });
  const other = await send("GET", "/v2/context?libraryId=/acme/widgets/v9&query=widget", { key: null });
  expect(answer.body).toEqual(other.body);
  const latest = await send("GET", "/v1/acme/widgets/latest?topic=widget", { key: null });
  const same = await send("GET", "/v2/context?libraryId=/acme/widgets/latest&query=widget&tokens=10000", { key: null });
  expect(latest).toMatchObject({ status: 200, body: same.body });
});

it("GET /v1/search finds by one text", async () => {
  const { send } = await live();
  const answer = await send("GET", "/v1/search?query=widgets", { key: null });
  expect(answer.body).toEqual(
    (await send("GET", "/v2/libs/search?libraryName=widgets&query=widgets", { key: null })).body,
  );
  expect(answer.body).toMatchObject({ results: [{ id: "/acme/widgets" }] });
});

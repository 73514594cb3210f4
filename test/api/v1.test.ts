import { describe, expect, it } from "vitest";
import { live } from "./live.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

it("GET /v1/{owner}/{repo} answers like /v2/context, by default on getting started", async () => {
  const { send, ask } = await live();
  const text = await send("GET", "/v1/acme/widgets?topic=widget", { key: null });
  expect(text).toMatchObject({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  expect(text.body).toBe((await ask("query=widget&tokens=10000")).body);
  const json = await send("GET", "/v1/acme/widgets?topic=widget&type=json&tokens=200", { key: null });
  expect(json.body).toEqual((await ask("query=widget&tokens=200&type=json")).body);
  const withoutTopic = await send("GET", "/v1/acme/widgets", { key: null });
  expect(withoutTopic.body).toBe((await ask("query=getting+started&tokens=10000")).body);
  expect((await send("GET", "/v1/acme/widgets?tokens=99", { key: null })).status).toBe(400);
});

it("GET /v1/{owner}/{repo}/{version} answers like /v2/context for that version", async () => {
  const { send } = await live();
  const answer = await send("GET", "/v1/acme/widgets/v9?topic=widget", { key: null });
  expect(answer).toMatchObject({ status: 404, body: { error: "tag_not_found" } });
  const other = await send("GET", "/v2/context?libraryId=/acme/widgets/v9&query=widget", { key: null });
  expect(answer.body).toEqual(other.body);
  const latest = await send("GET", "/v1/acme/widgets/latest?topic=widget", { key: null });
  const same = await send("GET", "/v2/context?libraryId=/acme/widgets/latest&query=widget&tokens=10000", { key: null });
  expect(latest).toMatchObject({ status: 200, body: same.body });
});

it("GET /v2/docs/{code,info}/{owner}/{repo}[/{version}] answers with code or prose only", async () => {
  const { send, ask } = await live();
  const [code, info] = ["createWidget", "A widget saves time."];
  for (const [kind, own, other] of [
    ["code", code, info],
    ["info", info, code],
  ]) {
    const { status, body } = await send("GET", `/v2/docs/${kind}/acme/widgets?topic=widget&page=1&limit=10`, {
      key: null,
    });
    expect(status).toBe(200);
    expect(body).toBe((await ask(`query=widget&tokens=10000&kind=${kind}`)).body);
    expect(body).toContain(own);
    expect(body).not.toContain(other);
    const json = await send("GET", `/v2/docs/${kind}/acme/widgets/latest?topic=widget&type=json&limit=1`, {
      key: null,
    });
    const same = `libraryId=/acme/widgets@latest&query=widget&tokens=10000&kind=${kind}&type=json&limit=1`;
    expect(json).toMatchObject({ status: 200, body: (await send("GET", `/v2/context?${same}`, { key: null })).body });
  }
  const unknown = await send("GET", "/v2/docs/code/acme/widgets/v9?topic=widget", { key: null });
  expect(unknown).toMatchObject({ status: 404, body: { error: "tag_not_found" } });
  expect(await send("GET", "/v2/docs/pictures/acme/widgets", { key: null })).toMatchObject({
    status: 400,
    body: { message: "kind must be code or info." },
  });
});

describe("POST /v1/add", () => {
  it("submits a repository or an llms.txt like the routes of version 2", async () => {
    const { send, engine, catalog } = await setup();
    const add = (body: object, more = {}) => send("POST", "/v1/add", { body, ...more });
    const docsRepoUrl = "https://github.com/acme/widgets";
    const repository = await add({ docsRepoUrl, branch: "next", folders: ["docs"] });
    expect(repository).toMatchObject({
      status: 200,
      body: { libraryName: "/acme/widgets", statusUrl: expect.any(String) as string },
    });
    const run = engine.started.at(-1);
    expect((await catalog.libraries.get(run?.libraryUid ?? ""))?.source).toMatchObject({
      kind: "git",
      branch: "next",
      selection: { folders: ["docs"] },
    });
    expect(await add({ docsRepoUrl })).toMatchObject({ status: 409, body: { error: "duplicate_repo" } });
    const list = await add({ llmstxtUrl: "https://docs.example.com/llms.txt", libraryName: "/llmstxt/own" });
    expect(list).toMatchObject({ status: 200, body: { libraryName: "/llmstxt/own" } });
    expect(await add({ docsRepoUrl: "ssh://x" })).toMatchObject({ status: 400, body: { error: "validation_error" } });
    expect(await add({})).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("docsRepoUrl") as string },
    });
    expect(await add({ docsRepoUrl }, { key: null })).toMatchObject({ status: 401 });
  });

  it("adds a version of a library by its tag", async () => {
    const { send, submit, finish, engine, catalog } = await setup();
    const runId = await submit("/acme/widgets");
    await finish(runId, [codePassage]);
    const { libraryUid = "" } = (await catalog.runs.get(runId)) ?? {};
    await catalog.libraries.keepRefs(libraryUid, [{ name: "v2.0.0", kind: "tag", revision: "abc" }]);
    const body = { libraryName: "/acme/widgets", libraryTagCode: "v2.0.0" };
    expect(await send("POST", "/v1/add", { body })).toMatchObject({ status: 200, body: { version: "v2.0.0" } });
    expect(engine.started.at(-1)).toMatchObject({ version: "v2.0.0" });
    const unknown = { ...body, libraryTagCode: "v9" };
    expect(await send("POST", "/v1/add", { body: unknown })).toMatchObject({
      status: 404,
      body: { error: "branch_not_found" },
    });
  });
});

it.each(["/v1/search", "/v2/search"])("GET %s searches by a single text", async (path) => {
  const { send } = await live();
  const answer = await send("GET", `${path}?query=widgets`, { key: null });
  expect(answer.body).toEqual(
    (await send("GET", "/v2/libs/search?libraryName=widgets&query=widgets", { key: null })).body,
  );
  expect(answer.body).toMatchObject({ results: [{ id: "/acme/widgets" }] });
});

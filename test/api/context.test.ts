import { describe, expect, it } from "vitest";

import { codeSnippet } from "./samples.ts";
import { live, setup } from "./setup.ts";

describe("GET /v2/context", () => {
  it("answers text unless JSON is asked for, both kinds in the order of relevance", async () => {
    const { ask } = await live();
    const { status, headers, body } = await ask("query=widget");
    expect(status).toBe(200);
    expect(headers["Content-Type"]).toBe("text/plain; charset=utf-8");
    expect(body).toMatchInlineSnapshot(`
      "### Why widgets

      Source: https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4

      A widget saves time.

      --------------------------------

      ### Create a widget

      Source: https://git.example.com/acme/widgets/blob/c0ffee/README.md#L3-L9

      Pass the size.

      \`\`\`js
      createWidget("big");
      \`\`\`

      \`\`\`\`
      \`\`\`
      nested fence
      \`\`\`
      \`\`\`\`"
    `);
  });

  it("answers JSON with both arrays and a language for every code block", async () => {
    const { ask } = await live();
    const { status, headers, body } = await ask("query=widget&type=json");
    expect(status).toBe(200);
    expect(headers["Content-Type"]).toBe("application/json");
    expect(body).toMatchInlineSnapshot(`
      {
        "codeSnippets": [
          {
            "codeDescription": "Pass the size.",
            "codeId": "https://git.example.com/acme/widgets/blob/c0ffee/README.md#L3-L9",
            "codeLanguage": "js",
            "codeList": [
              {
                "code": "createWidget("big");
      ",
                "language": "js",
              },
              {
                "code": "\`\`\`
      nested fence
      \`\`\`",
                "language": "",
              },
            ],
            "codeTitle": "Create a widget",
            "codeTokens": 12,
            "pageTitle": "Widgets",
          },
        ],
        "infoSnippets": [
          {
            "breadcrumb": "Widgets > Why widgets",
            "content": "A widget saves time.",
            "contentTokens": 5,
            "pageId": "https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4",
          },
        ],
      }
    `);
  });

  it("says in one sentence which library has nothing, and answers empty arrays as JSON", async () => {
    const { ask } = await live();
    expect(await ask("query=zebra")).toMatchObject({
      status: 200,
      body: "No snippet of /acme/widgets answers this question; try other words.",
    });
    expect(await ask("query=zebra&type=json")).toMatchObject({
      status: 200,
      body: { codeSnippets: [], infoSnippets: [] },
    });
  });

  it("filters by kind and language, and keeps to tokens and limit", async () => {
    const { ask } = await live();
    const json = async (more: string) => (await ask(`query=widget&type=json&${more}`)).body;
    expect(await json("kind=info")).toMatchObject({ codeSnippets: [], infoSnippets: [{}] });
    expect(await json("language=JS")).toMatchObject({ codeSnippets: [{}], infoSnippets: [] });
    // Another name of the same language.
    expect(await json("language=JavaScript")).toMatchObject({ codeSnippets: [{}], infoSnippets: [] });
    expect(await json("language=rust")).toMatchObject({ codeSnippets: [], infoSnippets: [] });
    expect(await json("limit=1")).toMatchObject({ codeSnippets: [], infoSnippets: [{}] });
    expect(await json("tokens=6")).toMatchObject({ codeSnippets: [], infoSnippets: [{}] });
  });

  it.each([
    ["query=", "query must have 1 to 500 characters."],
    [`query=${"x".repeat(501)}`, "query must have 1 to 500 characters."],
    ["", "query is missing."],
    ["query=a&query=b", "query was given more than once. Give it once."],
    ["query=a&type=xml", "type must be txt or json."],
    ["query=a&fast=yes", "fast must be true or false."],
    ["query=a&tokens=0", "tokens must be a whole number from 1 to 100000."],
    ["query=a&limit=1e2", "limit must be a whole number from 1 to 100."],
    ["query=a&kind=all", "kind must be code or info."],
  ])("refuses %s with a sentence", async (query, message) => {
    const { ask } = await live();
    expect(await ask(query)).toMatchObject({ status: 400, body: { error: "validation_error", message } });
  });

  it("counts an emoji as one character and ignores parameters that it does not know", async () => {
    const { ask } = await live();
    expect((await ask(`query=${"🎈".repeat(500)}&unknown=1&fast=true`)).status).toBe(200);
  });

  it("says what shapes an ID has", async () => {
    const { send } = await setup();
    expect(await send("GET", "/v2/context?libraryId=widgets&query=a")).toMatchObject({
      status: 400,
      body: { error: "invalid_library_id" },
    });
  });

  it("accepts the version behind a slash and behind an at-sign", async () => {
    const { ask, send, catalog, finish, engine } = await live();
    const view = await catalog.libraries.find([""], "/acme/widgets", "");
    await catalog.libraries.keepRefs(view?.library.uid ?? "", [{ name: "v1.0", kind: "tag", revision: "abc" }]);
    expect((await ask("query=widget")).status).toBe(200);
    for (const id of ["/acme/widgets/v1.0", "/acme/widgets@v1.0"]) {
      expect(await send("GET", `/v2/context?libraryId=${id}&query=a`, { key: null })).toMatchObject({
        status: 404,
        body: { error: "tag_not_found" },
      });
    }
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets/v1.0&query=a")).status).toBe(202);
    await finish(engine.started.at(-1)?.runId ?? "", [codeSnippet]);
    for (const id of ["/acme/widgets/v1.0", "/acme/widgets@v1.0"]) {
      const answer = await send("GET", `/v2/context?libraryId=${id}&query=widget`, { key: null });
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("Create a widget") });
    }
  });
});

describe("rules", () => {
  const patch = { libraryName: "/acme/widgets", rules: ["Use v2.", "Never call `new Widget`."] };

  it("that an administrator chose stand before the text, and in the JSON form, and make kept answers stale", async () => {
    const { ask, send } = await live();
    const before = await ask("query=widget");
    expect((await send("PATCH", "/v2/libs", { body: patch })).status).toBe(200);
    const text = await ask("query=widget", { headers: { "if-none-match": before.headers["ETag"] ?? "" } });
    expect(text.status).toBe(200);
    expect(text.body).toBe(
      `Rules for /acme/widgets, set by the administrators of this server:\n\n- Use v2.\n- Never call \`new Widget\`.\n\n${"-".repeat(32)}\n\n${before.body as string}`,
    );
    expect((await ask("query=widget&type=json")).body).toMatchObject({
      rules: { global: [], libraryOwn: [], libraryTeam: patch.rules },
    });
    await send("PATCH", "/v2/libs", { body: { ...patch, rules: null } });
    expect((await ask("query=widget")).body).toBe(before.body);
    expect((await ask("query=widget&type=json")).body).not.toHaveProperty("rules");
  });

  it("of the library's own source are served only where a setting says so, and as what they are", async () => {
    for (const sourceRules of [false, true]) {
      const { send, submit, finish, own } = await setup({ sourceRules });
      const runId = await submit("/acme/widgets");
      await finish(runId, [codeSnippet]);
      own(runId, { rules: ["Prefer hooks."] });
      const ask = async (type: string) =>
        (await send("GET", `/v2/context?libraryId=/acme/widgets&query=widget&type=${type}`)).body;
      if (sourceRules) {
        expect(await ask("json")).toMatchObject({ rules: { libraryOwn: ["Prefer hooks."], libraryTeam: [] } });
        expect(await ask("txt")).toMatch(
          /^What \/acme\/widgets advises about itself\. .*reviewed.*\n\n- Prefer hooks\.\n\n-{32}\n/,
        );
      } else {
        expect(await ask("json")).not.toHaveProperty("rules");
        expect(await ask("txt")).not.toContain("Prefer hooks.");
      }
    }
  });
});

describe("a kept answer", () => {
  it("is answered 304 without asking the index, until generation, question or form changes", async () => {
    const { ask, counts, send, finish, engine } = await live();
    const first = await ask("query=widget");
    const etag = first.headers["ETag"] ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers).toMatchObject({
      "Cache-Control": "public, max-age=300",
      Vary: "Authorization, Accept-Encoding",
    });
    const asked = counts.answered;
    const again = await ask("query=widget&fast=true&unknown=1", { headers: { "if-none-match": `"other", ${etag}` } });
    expect(again).toMatchObject({ status: 304, body: null, headers: { ETag: etag } });
    expect(counts.answered).toBe(asked);
    const held = { headers: { "if-none-match": etag } };
    expect((await ask("query=widgets", held)).status).toBe(200);
    expect((await ask("query=widget&type=json", held)).status).toBe(200);
    expect((await ask("query=widget&tokens=100", held)).status).toBe(200);
    await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
    await finish(engine.started.at(-1)?.runId ?? "", [codeSnippet]);
    expect((await ask("query=widget", held)).status).toBe(200);
  });

  it("is private with a key, and judged only after access", async () => {
    const { ask, addKey } = await live();
    const { key } = await addKey(["read"]);
    const { headers } = await ask("query=widget", { key });
    expect(headers["Cache-Control"]).toBe("private, max-age=300");
    const other = await addKey(["read"], { libraries: ["/other/*"] });
    const tag = headers["ETag"] ?? "";
    expect((await ask("query=widget", { key: other.key, headers: { "if-none-match": tag } })).status).toBe(404);
    expect((await ask("query=widget", { key: "wrong", headers: { "if-none-match": tag } })).status).toBe(401);
  });
});

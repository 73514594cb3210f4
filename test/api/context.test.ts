import { describe, expect, it } from "vitest";

import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { codePassage, prosePassage, withCodes } from "./samples.ts";
import { live } from "./live.ts";
import { setup } from "./setup.ts";

describe("GET /v2/context", () => {
  it("answers text by default, with pages in order of relevance", async () => {
    const { ask } = await live();
    const { status, headers, body } = await ask("query=widget");
    expect(status).toBe(200);
    expect(headers["Content-Type"]).toBe("text/plain; charset=utf-8");
    expect(body).toMatchInlineSnapshot(`
      "### Widgets > Why widgets

      Source: https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4

      A widget saves time.

      --------------------------------

      ### Widgets > Create a widget

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

  it("answers JSON with code and its explanation, and other prose separately", async () => {
    const { ask } = await live();
    const { status, headers, body } = await ask("query=widget&type=json");
    expect(status).toBe(200);
    expect(headers["Content-Type"]).toBe("application/json");
    expect(body).toMatchInlineSnapshot(`
      {
        "codeSnippets": [
          {
            "codeDescription": "Pass the size.",
            "codeId": "https://git.example.com/acme/widgets/blob/c0ffee/README.md#L5-L9",
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
            "codeTokens": 20,
            "pageTitle": "Widgets",
          },
        ],
        "infoSnippets": [
          {
            "breadcrumb": "Widgets > Why widgets",
            "content": "A widget saves time.",
            "contentTokens": 6,
            "pageId": "https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4",
          },
        ],
      }
    `);
  });

  it("answers a question without any known word with the introduction, and says so", async () => {
    const { ask, finish, engine, send } = await live();
    await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
    const about = { type: "prose", markdown: "This is how to get started." } as const;
    const introduction = { ...prosePassage, blocks: [about] };
    const elsewhere = { ...introduction, id: "s9", page: { title: "Other", url: "https://git.example.com/other" } };
    await finish(engine.started.at(-1)?.runId ?? "", [introduction, elsewhere]);
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", description: "Widgets for\neverybody." } });
    const note =
      "/acme/widgets has none of the words of this question; try other words. widgets: Widgets for everybody.";
    const text = await ask("query=zebra");
    expect(text.status).toBe(200);
    expect((text.body as string).split("\n\n")).toEqual([
      note,
      "### Widgets > Why widgets",
      `Source: ${prosePassage.source.url}`,
      "This is how to get started.",
      "-".repeat(32),
      "Not shown above, or in part; read-page (`lectern read`) reads each of these:\n- why.md: Other",
    ]);
    expect((await ask("query=zebra&type=json")).body).toMatchObject({
      codeSnippets: [],
      infoSnippets: [
        { pageId: "", breadcrumb: "widgets", content: note },
        { breadcrumb: "Widgets > Why widgets", content: "This is how to get started." },
      ],
      notes: ["/acme/widgets has none of the words of this question; try other words."],
    });
  });

  it("says so also without an introduction, and names kind and language as possible reasons", async () => {
    const { send, submit, finish } = await setup();
    await finish(await submit("/acme/gears"), [codePassage]);
    const ask = async (more: string) =>
      (await send("GET", `/v2/context?libraryId=/acme/gears&query=zebra${more}`, { key: null })).body;
    const note = "/acme/gears has none of the words of this question; try other words.";
    const beside = `\n\n${"-".repeat(32)}\n\nNot shown above, or in part; read-page (\`lectern read\`) reads each of these:\n- README.md: Widgets`;
    expect(await ask("")).toBe(note + beside);
    expect(await ask("&type=json")).toMatchObject({
      codeSnippets: [],
      infoSnippets: [{ content: note }],
      more: [{ page: "README.md", title: "Widgets" }],
    });
    expect(await ask("&language=rust")).toBe(
      `/acme/gears has none of the words of this question where kind and language are as asked for; try other words.${beside}`,
    );
  });

  it("filters by kind and language, and applies the limit", async () => {
    const { ask } = await live();
    const json = async (more: string) => (await ask(`query=widget&type=json&${more}`)).body;
    expect(await json("kind=info")).toMatchObject({
      codeSnippets: [],
      infoSnippets: [{ content: "A widget saves time." }, { content: "Pass the size." }],
    });
    expect(await json("kind=code")).toMatchObject({
      codeSnippets: [{ codeDescription: "Pass the size.", codeList: [{ language: "js" }, { language: "" }] }],
      infoSnippets: [],
    });
    expect((await ask("query=widget&kind=code")).body).toMatch(/\n\nPass the size\.\n\n```js\n[^`]*```\n\n````\n/);
    expect((await ask("query=widget&kind=info")).body).not.toContain("```");
    const code = { codeDescription: "Pass the size.", codeList: [{ language: "js" }, { language: "" }] };
    expect(await json("language=JS")).toMatchObject({ codeSnippets: [code], infoSnippets: [] });
    // An alias of the language.
    expect(await json("language=JavaScript")).toMatchObject({ codeSnippets: [code], infoSnippets: [] });
    expect(await json("limit=1")).toMatchObject({
      codeSnippets: [],
      infoSnippets: [{ pageId: prosePassage.source.url }],
    });
  });

  it("keeps the whole answer within the budget, including rules; the minimum is 200", async () => {
    const { send, submit, finish } = await setup();
    const page = (id: string, words: number): Passage => ({
      ...prosePassage,
      id,
      blocks: [{ type: "prose", markdown: `widget ${id} ${"word ".repeat(words)}` }],
      page: { title: id, url: `https://git.example.com/${id}.md` },
      tokens: words,
    });
    const huge = withCodes(codePassage, [{ language: "js", code: "createWidget();\n".repeat(5000) }]);
    await finish(await submit("/acme/gears"), [
      page("a", 90),
      page("b", 90),
      page("c", 90),
      { ...huge, tokens: 20_000 },
    ]);
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/gears", rules: ["Use v2, and nothing else."] } });
    const ask = async (more: string, query = "widget") =>
      (await send("GET", `/v2/context?libraryId=/acme/gears&query=${query}&${more}`, { key: null })).body;
    for (const type of ["txt", "json"]) {
      const few = JSON.stringify(await ask(`type=${type}&tokens=200`));
      expect(few).toContain("widget a");
      expect(few).not.toContain("widget c");
      expect(JSON.stringify(await ask(`type=${type}&tokens=1`))).toBe(few);
      for (const [query, tokens] of [
        ["widget", 200],
        ["widget", 400],
        ["js", 200],
        ["js", 5000],
      ] as const)
        for (const kind of ["", "&kind=code", "&kind=info"]) {
          const body = await ask(`type=${type}&tokens=${tokens}${kind}`, query);
          const text = typeof body === "string" ? body : JSON.stringify(body);
          expect(estimateTokens(text), `${type} ${query} ${tokens} ${kind}`).toBeLessThanOrEqual(tokens);
        }
    }
  });

  it("names code that exceeds the budget, also with kind=code", async () => {
    const { send, submit, finish } = await setup();
    const huge = withCodes(codePassage, [{ language: "js", code: "createWidget();\n".repeat(5000) }]);
    await finish(await submit("/acme/gears"), [{ ...huge, tokens: 20_000 }]);
    const name = "[5000 lines of js: https://git.example.com/acme/widgets/blob/c0ffee/README.md#L5-L9]";
    for (const more of ["", "&kind=code", "&type=json", "&type=json&kind=code"]) {
      const { body } = await send("GET", `/v2/context?libraryId=/acme/gears&query=widget&tokens=200${more}`);
      expect(typeof body === "string" ? body : JSON.stringify(body), more).toContain(name);
    }
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

  it("counts an emoji as one character, and ignores unknown parameters", async () => {
    const { ask } = await live();
    expect((await ask(`query=${"🎈".repeat(500)}&unknown=1&fast=true`)).status).toBe(200);
  });

  it("refuses an invalid ID", async () => {
    const { send } = await setup();
    expect(await send("GET", "/v2/context?libraryId=widgets&query=a")).toMatchObject({
      status: 400,
      body: { error: "invalid_library_id" },
    });
  });

  it("accepts a version after a slash or an at sign", async () => {
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
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
    for (const id of ["/acme/widgets/v1.0", "/acme/widgets@v1.0"]) {
      const answer = await send("GET", `/v2/context?libraryId=${id}&query=widget`, { key: null });
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("Create a widget") });
    }
  });
});

describe("rules", () => {
  const patch = { libraryName: "/acme/widgets", rules: ["Use v2.", "Never call `new Widget`."] };

  it("of an administrator come before the text and are in the JSON form, and invalidate cached answers", async () => {
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

  it("of the library's source are served only if the setting allows it, marked as such", async () => {
    for (const sourceRules of [false, true]) {
      const { send, submit, finish, own } = await setup({ sourceRules });
      const runId = await submit("/acme/widgets");
      await finish(runId, [codePassage]);
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

describe("a cached answer", () => {
  it("is confirmed with 304 without querying the index, until generation, question or form changes", async () => {
    const { ask, counts, send, finish, engine } = await live();
    const first = await ask("query=widget");
    const etag = first.headers["ETag"] ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers).toMatchObject({
      "Cache-Control": "public, max-age=300",
      Vary: "Authorization, Accept-Encoding",
    });
    const queries = counts.answered;
    const again = await ask("query=widget&fast=true&unknown=1", { headers: { "if-none-match": `"other", ${etag}` } });
    expect(again).toMatchObject({ status: 304, body: null, headers: { ETag: etag } });
    expect(counts.answered).toBe(queries);
    const cached = { headers: { "if-none-match": etag } };
    expect((await ask("query=widgets", cached)).status).toBe(200);
    expect((await ask("query=widget&type=json", cached)).status).toBe(200);
    expect((await ask("query=widget&tokens=300", cached)).status).toBe(200);
    await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
    expect((await ask("query=widget", cached)).status).toBe(200);
  });

  it("is private with a key, and confirmed only after the access check", async () => {
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

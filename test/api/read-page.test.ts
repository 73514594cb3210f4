import { describe, expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { base, held } from "../support/outlined.ts";
import { passagesOf, reading, texts } from "./page-world.ts";

describe("GET /v2/page", () => {
  it("reads a page as Markdown in its order, with its source", async () => {
    const { read } = await reading();
    const { headers, body } = await read();
    expect(headers).toMatchObject({
      "Content-Type": "text/plain; charset=utf-8",
      "X-Lectern-Library": "/acme/widgets",
      "Cache-Control": "public, max-age=300",
    });
    const text = body as string;
    expect(text).toMatch(
      /^### Guide\n\nSource: https:\/\/git\.example\.com\/acme\/widgets\/blob\/c0ffee\/docs\/guide\.md#L3-L\d+\n\nSentence 0 on the guide/,
    );
    expect(
      Array.from(text.matchAll(/Sentence 0 on (.+?) tells|^(#### .+)$/gm), ([, on, heading]) => on ?? heading),
    ).toEqual(["the guide", "#### Proxy", "proxy", "#### Options", "options", "#### Build", "build"]);
    expect(text).toContain("```javascript\nproxy({ secure: true });\n```");
    expect(text).toMatch(/number 5\.$/);
  });

  it.each([
    [{ page: "docs/guide.md#proxy" }, ["proxy", "options"]],
    [{ page: "guide.md", section: "proxy" }, ["proxy", "options"]],
    [{ page: `${base}docs/guide.md`, section: "Guide > Proxy > Options" }, ["options"]],
    [{ page: "guide.md", section: "Build" }, ["build"]],
    [{ page: "guide.md", section: "proxy", from: "2" }, ["options"]],
    [{ page: "guide.md", from: "2" }, ["options", "build"]],
    [{ page: `${base}docs/guide.md#L3-L9` }, ["the guide", "proxy", "options", "build"]],
  ])("reads a section, or from a passage on: %j", async (query, expected) => {
    const { text, json } = await reading();
    const shown = Array.from((await text(query)).matchAll(/Sentence 0 on (.+?) tells/g), ([, on]) => on);
    expect(shown).toEqual(expected);
    expect(
      (await json(query)).passages.map(({ blocks }) => /Sentence 0 on (.+?) tells/.exec(JSON.stringify(blocks))?.[1]),
    ).toEqual(expected);
  });

  it("reads the section of a passage by its address if the source has given it another fragment", async () => {
    const passages = passagesOf(texts).map((passage, at): Passage => {
      const { lines: _, path: __, ...source } = passage.source;
      return { ...passage, source: { ...source, url: `${passage.page.url}#own-${at}`, ordinal: at } };
    });
    const { text } = await reading(passages);
    expect(await text({ page: `${base}docs/guide.md#own-1` })).toMatch(/^### Guide > Proxy.*\n\nSource: .*#own-1/);
    expect(await text({ page: `${base}docs/guide.md#own-0` })).toContain("Sentence 0 on build");
  });

  it("says that nothing is left to read behind the end", async () => {
    const { text, json } = await reading();
    expect(await text({ from: "4" })).toBe("[Nothing of Guide is left to read.]");
    expect(await text({ section: "proxy", from: "9999" })).toBe("[Nothing of Proxy is left to read.]");
    expect(await json({ from: "4" })).toMatchObject({ passages: [], next: null });
  });

  it("reads JSON with the outline of the page and each passage with its place and content", async () => {
    const { json } = await reading();
    const { passages, ...page } = await json({ section: "proxy" });
    expect(page).toMatchObject({
      library: "/acme/widgets",
      page: "docs/guide.md",
      name: "guide.md",
      title: "Guide",
      url: `${base}docs/guide.md`,
      heldBack: 0,
      section: "proxy",
      sections: [
        { section: "proxy", title: "Proxy", level: 1 },
        { section: "options", title: "Options", level: 2 },
        { section: "build", title: "Build", level: 1 },
      ],
      next: null,
    });
    expect(passages).toMatchObject([
      {
        index: 1,
        section: "proxy",
        breadcrumb: ["Guide", "Proxy"],
        revision: "c0ffee",
        blocks: [
          { type: "prose" },
          { type: "code", codes: [{ language: "javascript", code: "proxy({ secure: true });" }] },
        ],
      },
      { index: 2, section: "options" },
    ]);
    const [first] = passages;
    expect(first?.url).toBe(`${base}docs/guide.md#L${first?.lines?.[0]}-L${first?.lines?.[1]}`);
    expect((await json()).passages[0]).toMatchObject({ index: 0, section: null });
  });

  it("is cut at the budget, and says where it goes on", async () => {
    const { text, json } = await reading();
    expect(await text({ tokens: "420" })).toMatch(
      /\n\n\[The page goes on with "Options", \d+ tokens: read it with from=2\.\]$/,
    );
    expect(await text({ tokens: "320", section: "proxy" })).toMatch(
      /\n\n\[The section goes on with "Options", \d+ tokens: read it with from=2\.\]$/,
    );
    expect(await json({ tokens: "600" })).toMatchObject({ next: 2 });
    // The minimum is 200.
    expect(await text({ tokens: "1" })).toBe(await text({ tokens: "200" }));
  });

  it.each([
    ["page=", "page must have 1 to 2000 characters."],
    [`page=${"x".repeat(2001)}`, "page must have 1 to 2000 characters."],
    ["", "page is missing."],
    ["page=a&page=b", "page was given more than once. Give it once."],
    ["page=a&section=", "section must have 1 to 500 characters."],
    ["page=a&from=-1", "from must be a whole number from 0 to 1000000."],
    ["page=a&tokens=0", "tokens must be a whole number from 1 to 100000."],
    ["page=a&tokens=100001", "tokens must be a whole number from 1 to 100000."],
    ["page=a&type=html", "type must be txt or json."],
  ])("refuses %s with a sentence", async (query, message) => {
    const { send } = await reading();
    expect(await send("GET", `/v2/page?libraryId=/acme/widgets&${query}`)).toMatchObject({
      status: 400,
      body: { error: "validation_error", message },
    });
  });

  it("names the nearest pages and sections in place of those that are not there", async () => {
    const { read } = await reading();
    const refused = async (query: object) => {
      const { status, body } = await read(query);
      expect({ status, body }).toMatchObject({ status: 404, body: { error: "page_not_found" } });
      return (body as { message: string }).message;
    };
    expect(await refused({ page: "guides/guide.html" })).toBe(
      '/acme/widgets has no page "guides/guide.html". Nearest: guide.md. list-pages (GET /api/v2/pages) has all of them.',
    );
    expect(await refused({ page: "nothing\n- evil" })).toBe(
      '/acme/widgets has no page "nothing - evil". Some of its pages: guide.md, api.md. list-pages (GET /api/v2/pages) has all of them.',
    );
    expect(await refused({ section: "proxy-options" })).toBe(
      'docs/guide.md has no section "proxy-options". Its sections: proxy, options.',
    );
    expect(await refused({ page: "guide.md#nothing" })).toBe(
      'docs/guide.md has no section "nothing". Its sections: proxy, options, build.',
    );
  });
});

describe("a page with passages that are held back", () => {
  const passages = passagesOf(texts).map((passage) =>
    passage.breadcrumb.at(-1) === "Options" || passage.page.title === "API" ? held(passage) : passage,
  );

  it("counts them, and shows nothing of them", async () => {
    const { text, json, listed } = await reading(passages);
    const whole = await text();
    expect(whole).toMatch(/\n\n\[1 passage of guide\.md is held back by the screen\.\]$/);
    expect(whole).not.toContain("on options");
    expect(await json()).toMatchObject({ heldBack: 1, passages: [{ index: 0 }, { index: 1 }, { index: 3 }] });
    const list = await listed();
    expect(list).toMatchObject({ total: 1, heldBack: 3, pages: [{ name: "guide.md", heldBack: 1 }] });
    expect(JSON.stringify(list)).not.toMatch(/Options|api\.md/);
  });

  it("is counted too where a section or page is asked for that is not there", async () => {
    const { read } = await reading(passages);
    expect((await read({ section: "options" })).body).toMatchObject({
      message:
        'docs/guide.md has no section "options". Its sections: proxy, build. 1 passage of it is held back by the screen.',
    });
    expect((await read({ page: "api.md" })).body).toMatchObject({
      message: expect.stringMatching(
        /has no page "api\.md"\..* 3 passages of the library are held back by the screen\.$/,
      ),
    });
  });
});

describe("rules", () => {
  const rules = ["Use v2.", "Never call `new Widget`."];

  it("come before a page, and are in its JSON form, and invalidate cached answers", async () => {
    const { text, json, read, send } = await reading();
    const before = await read();
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", rules } });
    const after = await read({}, { headers: { "if-none-match": before.headers["ETag"] ?? "" } });
    expect(after.body).toBe(
      `Rules for /acme/widgets, set by the administrators of this server:\n\n- Use v2.\n- Never call \`new Widget\`.\n\n${"-".repeat(32)}\n\n${before.body as string}`,
    );
    expect(await json()).toMatchObject({ rules: { libraryTeam: rules } });
    expect(estimateTokens(await text({ tokens: "400" }))).toBeLessThanOrEqual(400);
  });
});

it("says in a sentence that the caller's team has a note on the library", async () => {
  const { send, addKey } = await reading();
  const { key } = await addKey(["admin"], { teamspace: "web" });
  const read = async (type: "txt" | "json", caller: string | null = key) =>
    (await send("GET", `/v2/page?libraryId=/acme/widgets&page=guide.md&type=${type}`, { key: caller })).body;
  const [text, json] = [await read("txt"), await read("json")];
  await send("PATCH", "/v2/libs/team-note", { key, body: { libraryId: "/acme/widgets", text: "We pin version 2." } });
  const sentence = "Your team has a note on /acme/widgets: answers to questions end with it.";
  expect(await read("txt")).toBe(`${text as string}\n\n[${sentence}]`);
  expect(await read("json")).toEqual({ ...Object(json), hasTeamNote: true });
  expect(await read("txt", null)).toBe(text);
});

import { describe, expect, it } from "vitest";
import type { PageList } from "../../api/answer-types.ts";
import type { Passage } from "../../domain/passage.ts";
import { base, proseOf } from "../support/outlined.ts";
import { passagesOf, reading, texts } from "./page-world.ts";
import { setup } from "./setup.ts";

describe("GET /v2/pages", () => {
  it("lists pages with their sections and sizes in the order of the source", async () => {
    const { list } = await reading();
    const { headers, body } = await list();
    expect(headers).toMatchObject({ "Content-Type": "application/json", "X-Lectern-Library": "/acme/widgets" });
    const { pages, ...rest } = body as PageList;
    expect(rest).toEqual({ library: "/acme/widgets", total: 2, heldBack: 0, next: null });
    expect(
      pages.map(({ page, name, title, url, sections }) => [
        page,
        name,
        title,
        url,
        sections.map(({ section, title: heading, level }) => [section, heading, level]),
      ]),
    ).toEqual([
      [
        "docs/guide.md",
        "guide.md",
        "Guide",
        `${base}docs/guide.md`,
        [
          ["proxy", "Proxy", 1],
          ["options", "Options", 2],
          ["build", "Build", 1],
        ],
      ],
      ["docs/api.md", "api.md", "API", `${base}docs/api.md`, [["proxytable", "proxyTable", 1]]],
    ]);
    for (const { tokens, sections } of pages) {
      expect(tokens).toBeGreaterThan(0);
      for (const section of sections)
        expect(section).toMatchObject({ tokens: expect.any(Number), lines: [expect.any(Number), expect.any(Number)] });
    }
  });

  it.each([
    ["PROXY", ["guide.md", "api.md"]],
    ["proxytable", ["api.md"]],
    ["docs/", ["guide.md", "api.md"]],
    ["Guide", ["guide.md"]],
    ["nothing", []],
    // A text, not a pattern.
    [".*", []],
  ])("lists only pages with %j in their path, title or a heading", async (word, expected) => {
    const { listed } = await reading();
    const { pages, total } = await listed({ word });
    expect([pages.map(({ name }) => name), total]).toEqual([expected, expected.length]);
  });

  it("is paged, with all pages once, and refuses a cursor of another list", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`p${at}.md`, `# P${at}\n\n${proseOf(`p${at}`)}\n`]),
    );
    const { listed, list, refresh } = await reading(passagesOf(many));
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const part: PageList = await listed({ limit: "3", ...(cursor !== null && { cursor }) });
      expect(part.total).toBe(7);
      names.push(...part.pages.map(({ name }) => name));
      ({ next: cursor } = part);
    } while (cursor !== null);
    expect(names).toEqual(Object.keys(many));
    const { next } = await listed({ limit: "3" });
    await refresh(passagesOf(texts));
    for (const wrong of [next ?? "", "1.other", "x", "-1.x"])
      expect(await list({ cursor: wrong })).toMatchObject({ status: 400, body: { error: "validation_error" } });
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 1000."],
    ["limit=1001", "limit must be a whole number from 1 to 1000."],
    ["word=", "word must have 1 to 200 characters."],
  ])("refuses %s with a sentence", async (query, message) => {
    const { send } = await reading();
    expect(await send("GET", `/v2/pages?libraryId=/acme/widgets&${query}`)).toMatchObject({
      status: 400,
      body: { message },
    });
  });
});

describe("a folder", () => {
  it("hides the path on the disk from callers who may not change it", async () => {
    const { send, finish, engine, addKey } = await setup();
    await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/team" } });
    const passages = passagesOf(texts).map((passage): Passage => {
      const disk = (url: string) => url.replace(base, "file:///srv/docs/team/");
      const blocks = passage.blocks.map((block) =>
        block.type === "code" ? { ...block, url: disk(block.url) } : block,
      );
      return {
        ...passage,
        blocks,
        page: { ...passage.page, url: disk(passage.page.url) },
        source: { ...passage.source, url: disk(passage.source.url) },
      };
    });
    const run = engine.started.at(-1);
    await finish(run?.runId ?? "", passages);
    const id = run?.libraryId ?? "";
    const { key } = await addKey(["read"]);
    for (const path of [
      "pages?",
      "page?page=guide.md&",
      "page?page=guide.md&type=json&",
      "page?page=guide.md&from=99&type=json&",
      "page?page=none.md&",
      "context?query=Sentence&",
      "context?query=Sentence&type=json&",
    ]) {
      const asked = async (given: string | null) =>
        JSON.stringify((await send("GET", `/v2/${path}libraryId=${id}`, { key: given })).body);
      for (const given of [key, null]) {
        const body = await asked(given);
        expect(body, path).not.toMatch(/file:|\/srv/);
        expect(body, path).toContain("guide.md");
      }
      if (path.startsWith("page?page=guide.md&type") || path === "pages?")
        expect(await asked(undefined as never)).toContain("file:///srv/docs/team/docs/guide.md");
    }
    // Nor is a guess at it confirmed.
    const guess = new URLSearchParams({ libraryId: id, page: "file:///srv/docs/team/docs/guide.md" }).toString();
    expect((await send("GET", `/v2/page?${guess}`)).status).toBe(200);
    for (const given of [key, null]) expect((await send("GET", `/v2/page?${guess}`, { key: given })).status).toBe(404);
  });
});

import { describe, expect, it } from "vitest";
import type { PageList } from "../../api/answer-types.ts";
import { revisions, textOf } from "../support/agent.ts";
import { held, passagesIn, proseOf } from "../support/outlined.ts";
import { start } from "./agents.ts";
import { passagesOf, texts } from "./page-world.ts";
import { adminKey } from "./setup.ts";

const libraryId = "/acme/guides";

/** A server with a library of pages, and an agent that calls its tools. */
async function agentOf(
  revision: (typeof revisions)[number] = "2025-06-18",
  passages = passagesOf(texts),
  key?: string,
) {
  const world = await start({ rateLimitAnonymous: 100_000 });
  await world.finish(await world.submit(libraryId), passages);
  const agent = await world.connect(revision, key);
  const call = (name: string, given: Record<string, unknown> = {}) =>
    agent.callTool({ name, arguments: { libraryId, ...given } });
  const asked = async (path: string, query: object = {}) =>
    (await world.send("GET", `/v2/${path}?${new URLSearchParams({ libraryId, ...query }).toString()}`, { key: null }))
      .body;
  return { ...world, agent, call, asked };
}

describe.each(revisions)("an agent of revision %s", (revision) => {
  it("lists pages, and reads one of them and a section, as the API answers", async () => {
    const { call, asked } = await agentOf(revision);
    const list = await call("list-pages");
    expect(textOf(list)).toMatch(
      /^\/acme\/guides has 2 pages:\n- guide\.md Guide \(\d+ tokens\)\n- api\.md API \(\d+ tokens\)$/,
    );
    const page = await asked("page", { page: "guide.md" });
    const read = await call("read-page", { page: "guide.md" });
    expect(textOf(read)).toBe(page);
    expect(read.structuredContent).toEqual({ libraryId, page });
    const section = await asked("page", { page: "guide.md", section: "proxy" });
    expect(section).not.toBe(page);
    for (const given of [
      { page: "guide.md#proxy" },
      { page: "guide.md", section: "proxy" },
      { page: "docs/guide.md", section: "Proxy" },
    ])
      expect(textOf(await call("read-page", given))).toBe(section);
  });
});

describe("list-pages", () => {
  it("lists only pages with a word, with their headings that have it", async () => {
    const { call } = await agentOf();
    const answer = await call("list-pages", { word: "proxy" });
    expect(textOf(answer).replaceAll(/\d+ tokens/g, "n tokens")).toBe(
      '/acme/guides has 2 pages with "proxy":\n- guide.md Guide (n tokens)\n  - #proxy Proxy\n- api.md API (n tokens)\n  - #proxytable proxyTable',
    );
    const { pages } = answer.structuredContent as unknown as PageList;
    expect(pages.map(({ name, sections }) => [name, sections.map(({ section }) => section)])).toEqual([
      ["guide.md", ["proxy"]],
      ["api.md", ["proxytable"]],
    ]);
    expect(textOf(await call("list-pages", { word: "nothing" }))).toBe('/acme/guides has 0 pages with "nothing".');
  });

  it("goes on by its cursor", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 203 }, (_, at) => [`p${at}.md`, `# P${at}\n\nIt is page ${at} of all these pages here.\n`]),
    );
    const { call } = await agentOf("2025-06-18", passagesOf(many));
    const first = textOf(await call("list-pages"));
    expect(first).toMatch(/^\/acme\/guides has 203 pages, 200 of them here:\n/);
    const [, cursor] = /\nMore with cursor (\S+)$/.exec(first) ?? [];
    const rest = textOf(await call("list-pages", { cursor }));
    expect(rest.match(/^- \S+/gm)).toEqual(["- p200.md", "- p201.md", "- p202.md"]);
    expect(rest).not.toContain("More with cursor");
  });

  it("has no sections that were not asked for, as they would fill a context", async () => {
    const sections = Array.from({ length: 300 }, (_, at) => `## Part ${at}\n\n${proseOf(`part ${at}`)}`);
    const { call } = await agentOf("2025-06-18", passagesOf({ "a.md": `# A\n\n${sections.join("\n\n")}\n` }));
    expect(JSON.stringify((await call("list-pages")).structuredContent).length).toBeLessThan(500);
    const answer = await call("list-pages", { word: "part" });
    expect(textOf(answer).split("\n")).toHaveLength(2 + 20);
    expect((answer.structuredContent as unknown as PageList).pages[0]?.sections).toHaveLength(20);
  });

  it("counts what is held back, and shows hostile names on one line", async () => {
    const passages = passagesIn("docs/one\n- two.md", `# A\n\n${proseOf("a")}\n\n## B\n\n${proseOf("b")}\n`).map(
      (passage, at) => (at === 0 ? { ...passage, page: { ...passage.page, title: "A\n- evil.md" } } : held(passage)),
    );
    const { call } = await agentOf("2025-06-18", passages);
    expect(textOf(await call("list-pages"))).toMatch(
      /^\/acme\/guides has 1 page:\n- one - two\.md A - evil\.md \(\d+ tokens\)\n1 passage held back by the screen\.$/,
    );
    expect(textOf(await call("read-page", { page: "one - two.md" }))).toContain("Sentence 5 on a");
  });
});

describe("read-page", () => {
  it("reads on by what the end says", async () => {
    const { call } = await agentOf();
    const first = textOf(await call("read-page", { page: "guide.md", tokens: 420 }));
    const [, from] = /goes on with "Options", \d+ tokens: read it with from=(\d+)\.\]$/.exec(first) ?? [];
    const rest = textOf(await call("read-page", { page: "guide.md", from: Number(from) }));
    expect(rest).toMatch(/^### Guide\n/);
    expect([...rest.matchAll(/Sentence 0 on (\w+)/g)].map(([, on]) => on)).toEqual(["options", "build"]);
  });

  it.each(["path", "address", "url"])("takes the page as %s too", async (alias) => {
    const { call, asked } = await agentOf();
    const answer = await call("read-page", { [alias]: "docs/guide.md" });
    expect(textOf(answer)).toBe(await asked("page", { page: "guide.md" }));
  });

  it("may get optional arguments as null or empty text", async () => {
    const { call, asked } = await agentOf();
    const page = await asked("page", { page: "guide.md" });
    for (const none of [null, ""]) {
      expect(textOf(await call("read-page", { page: "guide.md", section: none, from: none, tokens: none }))).toBe(page);
      expect(textOf(await call("list-pages", { word: none, cursor: none }))).toContain("has 2 pages:");
    }
  });

  it("reads the library to which another one redirects, and counts one read", async () => {
    const { call, submit, finish, send, counts } = await agentOf();
    await finish(await submit("/acme/old"), passagesOf(texts));
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: libraryId } });
    const read = await call("read-page", { libraryId: "/acme/old", page: "guide.md" });
    expect(read.structuredContent).toMatchObject({ libraryId });
    expect(textOf(await call("list-pages", { libraryId: "/acme/old" }))).toContain("/acme/guides has 2 pages:");
    expect(counts.reads).toHaveLength(2);
    expect(counts.answers).toMatchObject([{ surface: "mcp", topic: "Guide" }]);
  });
});

it.each<[string, Record<string, unknown>, string]>([
  ["list-pages", { libraryId: "../../etc" }, '"../../etc" is not a library ID.'],
  ["list-pages", { libraryId: null }, "libraryId must be text."],
  ["list-pages", { word: "x".repeat(201) }, "word must have 1 to 200 characters."],
  ["list-pages", { word: ["a"] }, "word must be text."],
  ["list-pages", { cursor: "1.other" }, "cursor is wrong, or the list has changed."],
  ["list-pages", { libraryId: "/acme/none" }, "/acme/none"],
  ["read-page", {}, "page is missing."],
  ["read-page", { page: { a: 1 } }, "page must be text."],
  ["read-page", { page: "x".repeat(2001) }, "page must have 1 to 2000 characters."],
  ["read-page", { page: "a", section: "x".repeat(501) }, "section must have 1 to 500 characters."],
  ["read-page", { page: "a", from: -1 }, "from must be a whole number from 0 to 1000000."],
  ["read-page", { page: "a", tokens: 1e6 }, "tokens must be a whole number from 1 to 100000."],
  ["read-page", { page: "../../etc/passwd" }, '/acme/guides has no page "../../etc/passwd".'],
  ["read-page", { page: "guide.md#none" }, 'docs/guide.md has no section "none". Its sections: proxy, options, build.'],
  ["read-page", { page: "guide.md", libraryId: "/acme/guides@v9" }, 'Version "v9" of /acme/guides is not known.'],
])("%s refuses %j with a sentence", async (name, given, sentence) => {
  const { call, logged } = await agentOf("2025-06-18", passagesOf(texts), adminKey);
  const answer = await call(name, given);
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain(sentence);
  expect(logged.filter((line) => line.includes("unexpected"))).toEqual([]);
});

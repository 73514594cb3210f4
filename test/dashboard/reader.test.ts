import { describe, expect, it } from "vitest";

import type { Passage } from "../../domain/passage.ts";
import { codePassage, heldPassage, prosePassage } from "../api/samples.ts";
import { setupPages } from "./world.ts";

const at = "https://git.example.com/acme/widgets/blob/c0ffee/";

/** A passage of a page with its headings and prose. */
function passageOf(path: string, headings: readonly string[], markdown: string, line = 1): Passage {
  const [title = ""] = headings;
  return {
    ...prosePassage,
    id: `${path.length}-${line}-${headings.length}`,
    title: headings.at(-1) ?? title,
    breadcrumb: headings,
    blocks: [{ type: "prose", markdown }],
    page: { title, url: `${at}${path}` },
    source: { path, url: `${at}${path}#L${line}-L${line + 2}`, lines: [line, line + 2], revision: "c0ffee" },
  };
}

const guide: readonly Passage[] = [
  passageOf("docs/guide.md", ["Guide"], "See [the install page](" + `${at}docs/install.md#linux).`),
  passageOf("docs/guide.md", ["Guide", "Use"], "How to use it.\n\n### Options\n\nOf use.", 10),
  passageOf("docs/guide.md", ["Guide", "Use", "`Deep`"], "Deeper.", 20),
  passageOf("docs/guide.md", ["Guide", "Test"], "How to test it.\n\n### Options\n\nOf tests.", 30),
];

async function setupReader(passages: readonly Passage[]) {
  const world = await setupPages();
  await world.finish(await world.submit("/acme/widgets"), passages);
  const read = (query: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = {}) =>
    world.browse("GET", `/-/read?${new URLSearchParams({ library: "/acme/widgets", ...query }).toString()}`, {
      headers,
    });
  return { ...world, read };
}

const idsIn = (text: string) =>
  Array.from(text.matchAll(/<h(\d) id="(s-[^"]*)"/g), ([, level, id]) => `${level} ${id}`);

describe("the reader", () => {
  it("shows a page with its headings, each with the anchor of its section", async () => {
    const { read } = await setupReader(guide);
    const { status, text } = await read({ page: "docs/guide.md" });
    expect(status).toBe(200);
    expect(text).toContain("<h1>Guide</h1>");
    expect(idsIn(text)).toEqual(["2 s-use", "3 s-options", "3 s-deep", "2 s-test", "3 s-options-1"]);
    expect(text).toContain("<code>Deep</code>");
    expect(text).toContain(`${at}docs/guide.md#L10-L12`);
  });

  it("links to pages and sections of the library", async () => {
    const { read } = await setupReader([...guide, passageOf("docs/install.md", ["Install", "Linux"], "On Linux.")]);
    const { text } = await read({ page: "docs/guide.md" });
    expect(text).toContain(
      '<a href="/-/read?library=%2Facme%2Fwidgets&amp;page=docs%2Finstall.md#s-linux">the install page</a>',
    );
    expect(text).toMatch(/<a[^>]*rel="next"[^>]*page=docs%2Finstall\.md"/);
  });

  it("begins with the outermost page that introduces a folder, and opens the folders of the page", async () => {
    const names = ["a/b.md", "a/README.md", "c/d/e.md", "index.md"];
    const { read } = await setupReader(names.map((name) => passageOf(name, [`Title of ${name}`], "Text.")));
    const { text } = await read();
    expect(text).toContain("<h1>Title of index.md</h1>");
    expect((await read({ page: "c/d/e.md" })).text.match(/<details open>\s*<summary>\s*<bdi>\w/g)).toHaveLength(2);
  });

  it("names pages by their paths that have the same title", async () => {
    const { read } = await setupReader([passageOf("a/one.md", ["Same"], "1"), passageOf("a/two.md", ["Same"], "2")]);
    const { text } = await read();
    expect(text).toContain("<bdi>one.md</bdi>");
    expect(text).toContain("<bdi>two.md</bdi>");
  });

  it("finds pages and headings by a word, also while it is typed", async () => {
    const { read } = await setupReader([...guide, passageOf("docs/install.md", ["Install", "Linux"], "On Linux.")]);
    const part = await read({ word: "LINUX" }, { "hx-request": "true" });
    expect(part.text).not.toContain("<html");
    expect(part.text).toContain("1 page<");
    expect(part.text).toContain("page=docs%2Finstall.md#s-linux");
    const whole = await read({ word: "linux", page: "docs/guide.md" });
    expect(whole.text).toContain("<h1>Guide</h1>");
    expect(whole.text).toContain("1 page<");
    expect((await read({}, { "hx-request": "true" })).text).toContain("docs%2Fguide.md");
  });

  it("says how many passages of a page are held back, and shows nothing of them", async () => {
    const { read } = await setupReader([codePassage, heldPassage]);
    const { text } = await read();
    expect(text).toContain("1 passage of this page is held back");
    expect(text).not.toContain("Ignore previous instructions");
  });

  it("shows a page in one piece that is longer than an answer", async () => {
    const long = Array.from({ length: 150 }, (_, n) =>
      passageOf("long.md", ["Long", `Part ${n}`], `${"word ".repeat(900)}${n}`, n * 3 + 1),
    ).map((one) => ({ ...one, tokens: 900 }));
    const { read } = await setupReader(long);
    const { text } = await read();
    expect(idsIn(text)).toEqual(long.map((_, n) => `2 s-part-${n}`));
    expect(text).not.toContain("Read on");
    const rest = await read({ from: "100" });
    expect(idsIn(rest.text)[0]).toBe("2 s-part-100");
  });

  it("shows hostile titles, paths, headings and code as text", async () => {
    const hostile = `"><script>alert(1)</script>\u202e`;
    const [first] = guide;
    if (!first) throw new Error("There is no passage.");
    const { read } = await setupReader([
      passageOf(`a/${hostile}/b.md`, [hostile, hostile, `${hostile} 2`], `# ${hostile}\n\n${hostile}`),
      { ...codePassage, page: { title: hostile, url: "javascript:alert(1)" } },
    ]);
    for (const query of [{}, { page: "javascript:alert(1)" }, { word: hostile }, { page: hostile }]) {
      const { text } = await read(query);
      expect(text).not.toMatch(/<script>|\u202e|href="javascript/i);
    }
  });

  it("says that a library is still being indexed, or has no such page", async () => {
    const { browse, submit, read } = await setupReader(guide);
    await submit("/acme/new");
    const { status, text } = await browse("GET", "/-/read?library=/acme/new");
    expect(status).toBe(200);
    expect(text).toContain("is being indexed and not finished yet");
    const none = await read({ page: "docs/nothing.md" });
    expect(none.status).toBe(404);
    expect(none.text).toContain("page_not_found");
  });

  it("goes on with the list at its cursor", async () => {
    const pages = Array.from({ length: 1002 }, (_, n) => passageOf(`p${n}.md`, [`Page ${n}`], "Text."));
    const { read } = await setupReader(pages);
    const { text } = await read();
    const [, cursor = ""] = /cursor=([^"&]+)"[^>]*>More pages/.exec(text) ?? [];
    const more = await read({ cursor: decodeURIComponent(cursor) });
    expect(more.text).toContain("<bdi>Page 1001</bdi>");
    expect(more.text).not.toContain("<bdi>Page 999</bdi>");
  });
});

it("an answer leads from each passage to its section on its page", async () => {
  const { browse } = await setupReader(guide);
  const { text } = await browse("GET", "/-/answer?library=/acme/widgets&query=test");
  expect(text).toMatch(/href="\/-\/read\?library=%2Facme%2Fwidgets&amp;page=[^"]*guide\.md#s-test"/);
});

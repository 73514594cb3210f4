import { describe, expect, it } from "vitest";
import { cutFullFile } from "../../extract/llmstxt/full-file.ts";
import { isIndexFile, parseIndexFile } from "../../extract/llmstxt/index-file.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

const base = "https://acme.dev/docs/llms.txt";
const urlsOf = (text: string): string[] => [...parseIndexFile(text, base).pages];

describe("an llms.txt", () => {
  it("says title, summary and pages, each once and in its order", () => {
    const text = `# Acme

> Tools for \`anvils\`,
> in two lines.

Some words on [how to read](guide/read.md#top) this.

## Docs

- [Start](https://acme.dev/docs/start.md): how to start
- [Start again](/docs/start.md#later)

## Optional

* [Old](../old.md)
`;
    expect(parseIndexFile(text, base)).toEqual({
      more: 0,
      title: "Acme",
      summary: "Tools for anvils, in two lines.",
      pages: ["https://acme.dev/docs/guide/read.md", "https://acme.dev/docs/start.md", "https://acme.dev/old.md"],
    });
  });

  it.each([
    ["blanks in an address", "- [a](/a page.md)", ["https://acme.dev/a%20page.md"]],
    ["brackets in an address", "- [a](/a_(b).md)", ["https://acme.dev/a_(b).md"]],
    ["blanks and brackets", "- [a](/a (b).md)", ["https://acme.dev/a%20(b).md"]],
    ["a title after the address", '- [a](/a.md "A page")', ["https://acme.dev/a.md"]],
    [
      "plus signs as bullets, nested",
      "+ [a](/a.md)\n  + [b](/b.md)",
      ["https://acme.dev/a.md", "https://acme.dev/b.md"],
    ],
    ["a link in prose and none in a list", "See [a](/a.md).", ["https://acme.dev/a.md"]],
    [
      "addresses of other schemes and with passwords",
      "[a](mailto:a@b.c) [b](javascript:x) [c](https://u:p@acme.dev/)",
      [],
    ],
    ["links in code", "```\n[a](/a.md)\n```\n`[b](/b.md)`", []],
    ["nothing", "", []],
  ])("is read with %s", (_, text, urls) => {
    expect(urlsOf(text)).toEqual(urls);
  });

  it("differs from documentation by its share of links", () => {
    expect(isIndexFile("# A\n\n> Words.\n\n- [a](/a): b\n- [c](/d)\n")).toBe(true);
    expect(isIndexFile("# A\n\nWords.\n\nMore [words](/a).\n\nMore.\n\nMore.\n")).toBe(false);
    expect(isIndexFile("")).toBe(false);
  });

  it.each(["[a](", "](", "- [a](b c ", "[](".repeat(3), "> ", "# ", "http://a", "http://a))", "# [a](b "])(
    "of %j, a hundred thousand times, costs time in proportion",
    (unit) => {
      const text = unit.repeat(100_000);
      const seconds = cpuSeconds(() => {
        parseIndexFile(text, base);
        cutFullFile(text, base, new Set());
        isIndexFile(text);
      });
      expect(seconds).toBeLessThan(5);
    },
  );
});

describe("an llms-full.txt", () => {
  const full = "https://acme.dev/llms-full.txt";
  const cut = (text: string) => cutFullFile(text, full, new Set(["acme.dev"])).pages;

  it("is cut where headings name the addresses of their pages", () => {
    const text =
      "# One\nSource: https://acme.dev/one\n\nWords.\n\n# Two\nSource: /two\n\n```md\n# No page\nSource: /three\n```\n";
    expect(cut(text)).toEqual([
      { url: "https://acme.dev/one", text: "# One\n\n\nWords.\n", firstLine: 1 },
      { url: "https://acme.dev/two", text: "# Two\n\n\n```md\n# No page\nSource: /three\n```\n", firstLine: 6 },
    ]);
  });

  it("is cut after a line that begins with three backticks and opens no fence", () => {
    const text = "# One\nSource: /one\n\n```a``` is code.\n\n# Two\nSource: /two\n\nWords.\n";
    expect(cut(text).map(({ url }) => url)).toEqual(["https://acme.dev/one", "https://acme.dev/two"]);
  });

  it("is cut at front matter that names addresses, with a heading below", () => {
    const text =
      "---\nurl: /guide/start.md\ntitle: Start\n---\n\n# Start\n\nA.\n\n---\nurl: /guide/end.md\n---\n\n# End\n\nB.\n";
    expect(cut(text).map(({ url, firstLine }) => [url, firstLine])).toEqual([
      ["https://acme.dev/guide/start.md", 1],
      ["https://acme.dev/guide/end.md", 10],
    ]);
  });

  it("keeps a heading without an address on the page before it, where others have one", () => {
    const text = "# One\nURL: https://acme.dev/one\n\n# More of one\n\nWords.\n";
    expect(cut(text).map(({ url }) => url)).toEqual(["https://acme.dev/one"]);
  });

  it("is cut at its headings where nothing names an address, each with a place in the file itself", () => {
    expect(cut("# One\n\nA.\n\n# Two words\n\nB.\n\n# One\n\nC.\n")).toEqual([
      { url: `${full}#one`, text: "# One\n\nA.\n", firstLine: 1 },
      { url: `${full}#two-words`, text: "# Two words\n\nB.\n", firstLine: 5 },
      { url: `${full}#one-1`, text: "# One\n\nC.\n", firstLine: 9 },
    ]);
    expect(cut("# All\n\n## A\n\nB.\n\n## C\n\nD.\n").map(({ url }) => url)).toEqual([
      `${full}#all`,
      `${full}#a`,
      `${full}#c`,
    ]);
  });

  it("has no say on other hosts", () => {
    const text = "# One\nSource: https://other.example/one\n\nA.\n\n# Two\nSource: https://acme.dev/two\n\nB.\n";
    expect(cut(text).map(({ url }) => url)).toEqual([`${full}#one`, "https://acme.dev/two"]);
  });

  it("is one page without any heading", () => {
    expect(cut("Only words.\n")).toEqual([{ url: full, text: "Only words.\n", firstLine: 1 }]);
    expect(cut("")).toEqual([]);
  });
});

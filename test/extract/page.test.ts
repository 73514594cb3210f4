import { describe, expect, it } from "vitest";
import { extensions, mediaTypeOf } from "../../extract/formats.ts";
import { extractPage } from "../../extract/index.ts";
import { amount } from "../support/endurance.ts";
import { readHtml } from "../../extract/html/index.ts";
import { codesOf, extract } from "./extract.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

const prose = "Enough words to make a snippet of prose from, surely.";

describe("a page", () => {
  it.each([
    ["empty", "empty", ""],
    ["of blanks", "empty", " \n\t\n"],
    ["with NUL bytes", "not_text", "a\0b"],
    ["that is not UTF-8", "not_text", Uint8Array.from({ length: 100 }, () => 0xe9)],
    [
      "that Git LFS stores elsewhere",
      "lfs_pointer",
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    ],
    ["marked as a draft", "draft", `---\ntitle: x\ndraft: true\n---\n\n${prose}`],
    ["marked as unlisted in TOML", "draft", `+++\nunlisted = true\n+++\n\n${prose}`],
    ["left out of its site's search", "draft", `---\nsearch: false\n---\n\n${prose}`],
    ["without anything to serve", "no_snippets", "# Title\n\n---\n"],
    ["nested too deeply", "too_large", `${">".repeat(60)} a\n`],
    ["of too many bytes", "too_large", new Uint8Array(10_000_001).fill(97)],
  ])("%s is skipped as %s", (_, code, text) => {
    const result = extract("a.md", text);
    expect(result).toMatchObject({ outcome: "skipped", code });
    expect(result).toHaveProperty("reason", expect.stringMatching(/^[A-Z].*\.$/));
  });

  it.each([
    [
      "of HTML with a NUL character is read without it, as browsers do",
      `<!doctype html><html><body><main><h1>A</h1><p>${prose}</p><pre><code class="language-js">const found\0 = await lookUp("name");\nif (found) show(found);\n</code></pre>\0</main></body></html>`,
      "indexed",
    ],
    ["of HTML that is a program is not read", `<p>${prose}</p>${"\0\0\0code".repeat(50)}`, "skipped"],
    [
      "of HTML in characters of two bytes that nothing names is not read",
      `<p>${prose}</p>`.split("").join("\0"),
      "skipped",
    ],
  ])("%s", (_, text, outcome) => {
    const result = extractPage({ path: "/a", mediaType: "text/html", bytes: Buffer.from(text) }, readHtml);
    expect(result).toMatchObject(outcome === "skipped" ? { outcome, code: "not_text" } : { outcome });
    expect(codesOf(result).map(({ code }) => code)).toEqual(
      outcome === "skipped" ? [] : ['const found = await lookUp("name");\nif (found) show(found);'],
    );
  });

  it("of another format is skipped, whatever its ending's case is not", () => {
    expect(extract("a.png", prose)).toMatchObject({ outcome: "skipped", code: "not_text" });
    expect(extract("A.MD", prose)).toMatchObject({ outcome: "indexed" });
    expect(extensions).toContain(".md");
  });

  it("has its first prose as description, unless front matter has a better one", () => {
    expect(extract("a.md", `# A\n\n[![b](c)](d)\n\n${prose}\n`)).toMatchObject({ title: "A", description: prose });
    expect(extract("a.md", `---\ndescription: >\n  Two\n  lines.\n---\n# A\n\n${prose}\n`)).toMatchObject({
      description: "Two lines.",
    });
  });

  it("is read in spite of front matter that is broken", () => {
    expect(extract("a.md", `---\ntitle: "a\n  b: [\n---\n\n# Real\n\n${prose}\n`)).toMatchObject({
      outcome: "indexed",
      title: "Real",
    });
  });

  it.each([
    ["prose", `---\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["a heading", `---\n\n# Gears\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["a heading, at once", `---\n# Gears\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["a note", `---\n\nNote: the gears turn. ${prose}\n\n---\n\nMore of it.\n`],
    ["a note in several lines", `---\nnote: the gears turn,\nas said before.\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["a list", `---\n\n- gears: they turn\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["Windows line ends", `---\r\n\r\n# Gears\r\n\r\n${prose}\r\n\r\n---\r\n\r\nMore of it.\r\n`],
    ["a mark", `\uFEFF---\n\n# Gears\n\n${prose}\n\n---\n\nMore of it.\n`],
    ["rules alone", `---\n\n---\n\n${prose}\n\nMore of it.\n`],
  ])("that begins with a thematic break and %s loses nothing", (_, page) => {
    const result = extract("a.md", page);
    const served = JSON.stringify(result);
    for (const words of [prose, "More of it.", ...(/gears.*/i.exec(page) ?? [])])
      expect(served).toContain(words.trim());
    if (page.includes("# Gears")) expect(result).toMatchObject({ title: "Gears" });
  });

  it.each([
    ["a mark before it", "\uFEFF---\ntitle: Gears\n---\n"],
    ["Windows line ends", "---\r\ntitle: Gears\r\ntags:\r\n- a\r\n- b\r\n---\r\n"],
    ["a blank line", "---\n\ntitle: Gears\n\ntags: [\n  a,\n]\n---\n"],
    ["comments", "---\n# Of the gears\ntitle: Gears\n# tags: a\n---\n"],
    ["a value that is not indented", "---\ntitle: Gears\ndescription: They turn\nand turn.\n---\n"],
    ["keys in capitals", "---\nTitle: Gears\nOwner: me\n---\n"],
    ["three blank lines before it", "\n\n\n---\ntitle: Gears\n---\n"],
  ])("has front matter with %s", (_, matter) => {
    const result = extract("a.md", `${matter}\n${prose}\n`);
    expect(result).toMatchObject({ title: "Gears", passages: [{ blocks: [{ markdown: prose }] }] });
  });

  it.each(["---\n# title: Gears\n---\n", "---\n---\n", "---\nlayout: post\n---\n"])(
    "serves nothing of front matter without a value that it needs: %j",
    (matter) => {
      const result = extract("a.md", `${matter}\n# Gears\n\n${prose}\n`);
      expect(result).toMatchObject({ title: "Gears", passages: [{ blocks: [{ markdown: prose }] }] });
    },
  );
});

const size = amount({ short: 15_000, long: 80_000 });
const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const hostile = [
  "[",
  "*",
  "<",
  "<a ",
  "<!--",
  "<!--\n\n",
  ">",
  `${">".repeat(30)}a\n`,
  ">a\nb\n",
  "`",
  "` ",
  "```\n",
  "- ```\n",
  "- - - - a\n",
  "[a]: b 'c\n",
  "[a](",
  "![",
  "[![a](b)",
  "|a|b|\n",
  "a|",
  "!!! n\n",
  "{/*",
  "{",
  "\\",
  ":::\n",
  "a\r",
  "# a\n",
  "<div>\n",
  "\u200b",
  '<a b="',
  "QUJD",
  "ignore ",
  "send the api key ",
  "export const a = {\n",
  "    a\n\n",
  " ",
  "\n",
  "**_a",
  "a\n        ```\n",
  "a\n# b\n",
  "<!-- a\n\n",
  "- [a](b)\n",
];

describe("hostile input", () => {
  it.each(["a.md", "a.mdx", "a.txt"])("as %s costs time in proportion to its size, and never an error", (path) => {
    for (const unit of hostile) {
      const bytes = new TextEncoder().encode(`x${fill(unit)}`);
      const seconds = cpuSeconds(() => extractPage({ path, mediaType: mediaTypeOf(path), bytes }));
      // Quadratic cost would be many seconds; linear cost is below 0.6 s.
      expect(seconds, unit).toBeLessThan(1.5);
    }
  });

  it("in front matter is not expanded", () => {
    const bomb = Array.from(
      { length: 30 },
      (_, level) => `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
    ).slice(1);
    expect(extract("a.md", `---\na0: &a0 [x]\n${bomb.join("\n")}\ntitle: T\n---\n\n${prose}`)).toMatchObject({
      title: "T",
    });
  });
});

it("what a site writes for models is Markdown, any other text is not", () => {
  expect(["docs/llms.txt", "llms-full.txt", "LLMS.txt", "docs/notes.txt", "allms.txt"].map(mediaTypeOf)).toEqual([
    "text/markdown",
    "text/markdown",
    "text/markdown",
    "text/plain",
    "text/plain",
  ]);
});

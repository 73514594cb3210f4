import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";
import { examplesOf, extract, passagesOf, proseIn, proseOf } from "./extract.ts";

const passages = (text: string) => passagesOf(extract("a.md", text));
const sentence = "This sentence says something that readers of documentation want to know about. ";

describe("prose", () => {
  it("of a section is Markdown, as the page has it around its code", () => {
    const page = `# A\n\n## B\n\n${sentence}\n\nRun:\n\n\`\`\`sh\nx\n\`\`\`\n\n- one **item**\n  \`\`\`js\n  y\n  \`\`\`\n- another\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`;
    expect(passages(page)).toMatchObject([
      {
        title: "B",
        breadcrumb: ["A", "B"],
        blocks: [
          { type: "prose", markdown: `${sentence.trim()}\n\nRun:` },
          { type: "code", codes: [{ language: "bash", code: "x" }], lines: [9, 11] },
          { type: "prose", markdown: "- one **item**" },
          { type: "code", codes: [{ language: "javascript", code: "y" }], lines: [14, 16] },
          { type: "prose", markdown: "- another\n\n| a | b |\n| --- | --- |\n| 1 | 2 |" },
        ],
        lines: [5, 21],
      },
    ]);
  });

  it("is cut at paragraphs below 600 tokens, and inside of one only where that alone is larger", () => {
    const contents = proseOf(
      extract(
        "a.md",
        `# A\n\n${Array.from({ length: 40 }, (_, index) => `Paragraph ${index}. ${sentence.repeat(4)}`).join("\n\n")}\n\n${sentence.repeat(200)}`,
      ),
    );
    expect(contents.length).toBeGreaterThan(4);
    for (const content of contents) {
      expect(estimateTokens(content)).toBeLessThanOrEqual(600);
      expect(content.endsWith("about.")).toBe(true);
    }
    expect(contents.join("").match(/Paragraph \d+/g)).toHaveLength(40);
  });

  it("comes in 120 to 600 tokens wherever the page has enough of it, whatever its sections are like", () => {
    const sizes = [1, 3, 30, 2, 9, 9, 80, 1, 1, 1, 14, 5, 60, 2];
    const page = sizes.map(
      (size, index) => `${"#".repeat(2 + (index % 3))} Part ${index}\n\n${`${sentence}\n\n`.repeat(size)}`,
    );
    const contents = proseOf(extract("a.md", `# A\n\n${page.join("")}`));
    expect(contents.length).toBeGreaterThan(5);
    for (const [at, content] of contents.entries()) {
      // A short section at the end is a passage of its own if the one before it is full.
      if (at < contents.length - 1) expect(estimateTokens(content)).toBeGreaterThanOrEqual(120);
      expect(estimateTokens(content)).toBeLessThanOrEqual(620);
    }
    expect(contents.join("\n").split(sentence.trim())).toHaveLength(sizes.reduce((sum, size) => sum + size) + 1);
  });

  it("is named after the sections that it has", () => {
    const text = "Words that are read, and not too many of them.";
    expect(passages(`# A\n\n## B\n\n${text}\n\n## C\n\n${text}\n`)).toMatchObject([
      { title: "A: B, C", breadcrumb: ["A"] },
    ]);
  });

  it("holds small sections together under the heading that they share", () => {
    const [first, ...others] = passages(
      `# A\n\n## B\n\n### C\n\nA short text is here.\n\n### D\n\nAnother short text is here.\n`,
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      breadcrumb: ["A", "B"],
      blocks: [{ markdown: "#### C\n\nA short text is here.\n\n#### D\n\nAnother short text is here." }],
      lines: [7, 11],
    });
  });

  it.each([
    ["badges", "[![build](https://e.com/b.svg)](https://e.com) ![x](y.png)"],
    ["comments", "<!-- a comment that would be long enough to be served as prose -->"],
    ["a comment over blank lines", "<!--\n\na comment that would be long enough to be served as prose\n\n-->"],
    [
      "tables of contents",
      "- [Installation of it](#a)\n- [Usage of the thing](#b)\n- [Reference and more](#c)\n- [Licence](#d)",
    ],
    ["definitions of links", "[some reference of a link]: https://example.com/a/rather/long/address 'and a title'"],
    ["hidden notes", "[//]: # (a note that would be long enough to be served as prose, was it shown)"],
    ["scripts", "<script>\nlet a = 'text that would be long enough to be served as prose';\n</script>"],
  ])("has no %s", (_, markdown) => {
    const kept = "This is the text that stays, and it is long enough.";
    expect(proseIn(`# A\n\n${markdown}\n\n${kept}\n`)).toBe(kept);
  });

  it.each([
    [
      "lists that say more than their links",
      `- [One](#a): ${sentence}\n- [Two](#b): ${sentence}\n- [Three](#c): ${sentence.trim()}`,
    ],
    ["short lists of links", "- [Installation of it in some detail](#a)\n- [Usage of the thing in some detail](#b)"],
  ])("has %s", (_, markdown) => {
    expect(proseIn(`# A\n\n${markdown}\n`)).toContain("- [");
  });

  it("has no block that is nothing but marks", () => {
    expect(proseIn(`# A\n\n${sentence}\n\n| | |\n|---|---|\n| - | - |\n\n. . .\n`)).toBe(sentence.trim());
  });

  it("keeps what HTML around prose says", () => {
    expect(
      passages(
        '<h1 align="center">Name</h1>\n<p align="center">\n  A library that does <b>one</b> thing well enough.\n</p>\n',
      ),
    ).toMatchObject([
      {
        breadcrumb: ["Name"],
        blocks: [{ markdown: expect.stringContaining("A library that does **one** thing well enough.") as unknown }],
      },
    ]);
  });
});

describe("plain text", () => {
  it.each([
    ["a.md", "One<br>two.", "One\ntwo."],
    ["a.mdx", "<p>One.</p><p>Two.</p>", "One.\n\nTwo."],
    ["a.mdx", "<ul><li>One</li><li>two</li></ul>", "- One\n- two"],
    ["a.md", "| a | b |\n|---|---|\n| one<br>two | x<br/>y |", "| a | b |\n| --- | --- |\n| one two | x y |"],
    ["a.md", "A `<br>` and <b>bo</b>ld.", "A `<br>` and **bo**ld."],
  ])("does not join the words round a tag that is dropped (%s: %s)", (path, markdown, shown) => {
    expect(proseIn(`# A\n\n${sentence}\n\n${markdown}\n`, path)).toContain(`${sentence.trim()}\n\n${shown}`);
  });

  it("is cut at underlined headings, and has code where indented lines look like it", () => {
    const result = extract(
      "notes.txt",
      "Title\n=====\n\nSome words that are long enough to be prose here.\r\n\n    a = {\n\n      b();\r\n    }\n\n    just an indented quotation\n    that goes on\n",
    );
    expect(examplesOf(result)).toMatchObject([
      {
        codes: [{ code: "a = {\n\n  b();\r\n}\n\njust an indented quotation\nthat goes on" }],
        breadcrumb: ["Title"],
        lines: [6, 12],
      },
    ]);
    expect(proseOf(result)).toEqual(["Some words that are long enough to be prose here."]);
  });
});

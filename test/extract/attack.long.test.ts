import fc from "fast-check";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { amount, runs } from "../support/endurance.ts";
import { examplesOf, extract, passagesOf } from "./extract.ts";

const modules = join(import.meta.dirname, "..", "..", "node_modules");

/** Real pages of the installed packages. */
const pages: readonly string[] = globSync("{*,@*/*}/{README,docs/*,CHANGELOG}.md", { cwd: modules })
  .toSorted()
  .map((name) => readFileSync(join(modules, name), "utf8"))
  .filter((text) => text.length > 1000 && text.length < 60_000)
  .filter((_, index) => index % 4 === 0)
  .slice(0, 40);

/** Fragments that break the structure of a page. */
const fragments = [
  "```",
  "~~~~",
  "`",
  "::: code-group\n",
  ":::",
  "::",
  "<Tabs>\n",
  "</Tabs>",
  '<Tab title="',
  "<CodeGroup>\n",
  "</CodeGroup>\n",
  "<Terminal>\n",
  "</Terminal>\n",
  "<Code code={`a`} />\n",
  "{% tabs %}\n",
  '{% tab title="a" %}\n',
  "{% endtabs %}",
  '=== "a"\n\n    ',
  "!!! note\n    ",
  "<pre>",
  "</pre>",
  "<pre><code>",
  "<table>",
  "<tr><td>",
  "</table>",
  "<!--",
  "-->",
  "<details><summary>",
  "</details>",
  "[^1]",
  "\n[^1]: a\n",
  "[a][b]",
  "\n[b]: c\n",
  "> [!NOTE]\n> ",
  "---\n",
  "+++\n",
  "{/*",
  "*/}",
  "{`",
  "export const a = {\n",
  "import a from\n",
  "```{note} a\n",
  "```{list-table} a\n:header-rows: 1\n\n* - a\n  - b\n",
  "```{code-cell}\n---\na: b\n---\n",
  "```{math}\n:label: a\n",
  ":::{tab-set}\n",
  "::: {.panel-tabset}\n",
  "```{glossary}\na\n  b\n",
  "\n(a)=\n",
  "{a-b}`c`",
  "{% if %}",
  "{% callout title=",
  "{% /callout %}",
  `![](data:image/png;base64,${"A".repeat(300)})`,
  "&amp;",
  "\0",
  "\r",
  "\u2028",
  "\uFEFF",
  "\uD800",
  "- ",
  "\t",
  "> ",
  "| a | b |\n|---|---|\n",
  "├── a\n└── b\n",
  "# ",
  "<h1>",
  "<a href='",
];

/** A page with parts removed, duplicated or moved, and fragments inserted. */
const mutated = fc
  .record({
    page: fc.nat(pages.length - 1),
    edits: fc.array(
      fc.record({
        at: fc.nat(1_000_000),
        length: fc.nat(400),
        kind: fc.constantFrom("cut", "double", "put", "put", "put"),
        fragment: fc.constantFrom(...fragments),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ page, edits }) =>
    edits.reduce((text, { at, length, kind, fragment }) => {
      const from = at % (text.length + 1);
      const part = text.slice(from, from + length);
      if (kind === "cut") return text.slice(0, from) + text.slice(from + length);
      return text.slice(0, from) + (kind === "double" ? part : fragment) + text.slice(from);
    }, pages[page] ?? ""),
  );

describe("a page that was tampered with", () => {
  it.each(["a.md", "a.mdx", "a.mdoc", "a.txt"])(
    "as %s has an outcome whose parts are whole and of the page",
    (path) => {
      fc.assert(
        fc.property(mutated, (text) => {
          const result = extract(path, text);
          const lines = text.split(/\r\n|\r|\n/).length;
          if (result.outcome === "skipped") expect(result.reason).toMatch(/\.$/);
          for (const { blocks, lines: range, title } of passagesOf(result)) {
            expect(range[0]).toBeGreaterThan(0);
            expect(range[1]).toBeGreaterThanOrEqual(range[0]);
            expect(range[1]).toBeLessThanOrEqual(lines);
            expect(title.length).toBeLessThan(800);
            expect(blocks.length).toBeGreaterThan(0);
            for (const block of blocks) {
              if (block.type === "prose") {
                expect(block.markdown.trim()).not.toBe("");
                continue;
              }
              expect(block.description.length).toBeLessThan(2000);
              expect(block.codes.length).toBeGreaterThan(0);
              expect(block.codes.every(({ code }) => code.trim() !== "")).toBe(true);
              expect(block.lines[0]).toBeGreaterThanOrEqual(range[0]);
              expect(block.lines[1]).toBeLessThanOrEqual(range[1]);
            }
          }
          expect(extract(path, text)).toEqual(result);
        }),
        { numRuns: runs({ short: 50, long: 250 }) },
      );
    },
  );

  it("keeps the code of the fences behind it, wherever containers are broken", () => {
    const broken = fc.array(
      fc.constantFrom(...fragments.filter((text) => !/[`~\0]|pre|<!--|\{|import|---|\+\+\+/.test(text))),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(broken, (parts) => {
        const text = `# A\n\n${parts.join("\n\n").replace(/^/gm, "")}\n\nText.\n\n# B\n\n\`\`\`js\nthe.code(1);\n\`\`\`\n`;
        expect(examplesOf(extract("a.md", text)).flatMap(({ codes }) => codes.map(({ code }) => code))).toContain(
          "the.code(1);",
        );
      }),
      { numRuns: runs({ short: 100, long: 1000 }) },
    );
  });
});

/** Expensive pages: the same content, repeated more often for each size. */
const bombs: Readonly<Record<string, (size: number) => string>> = {
  "nested quotes": (size) => `${">".repeat(size)} a`,
  "nested lists": (size) =>
    Array.from({ length: Math.min(size, 10_000) }, (_, depth) => `${"  ".repeat(depth % 200)}- a`).join("\n"),
  "nested components": (size) => `${"<Tabs>\n<Tab>\n".repeat(size / 12)}\n\n\`\`\`\na\n\`\`\`\n`,
  "nested containers": (size) => `${"::: tip\n\n".repeat(size / 9)}`,
  "groups that are not closed": (size) => "::: code-group\n\n```js [a]\nb\n```\n\n".repeat(size / 33),
  "tabs of MkDocs": (size) => '=== "a"\n\n    ~~~\n    b\n    ~~~\n\n'.repeat(size / 33),
  "nested admonitions": (size) =>
    Array.from({ length: Math.min(size / 8, 35) }, (_, depth) => `${"    ".repeat(depth)}!!! note`).join("\n"),
  "one long line": (size) => "a b ".repeat(size / 4),
  "one long line of code": (size) => `\`\`\`\n${"a ".repeat(size / 2)}\n\`\`\``,
  headings: (size) => "## a b\n\nc\n\n".repeat(size / 11),
  "headings that differ": (size) =>
    Array.from({ length: size / 20 }, (_, index) => `${"#".repeat((index % 6) + 1)} h${index}\n\nwords\n`).join("\n"),
  fences: (size) => "```\na\n```\n\n".repeat(size / 11),
  "fences with a lead": (size) => "Text here:\n\n```\na b c\n```\n\n".repeat(size / 29),
  "lead-ins to nothing": (size) => "Text here:\n\n".repeat(size / 12),
  "code in items of a list": (size) => "- a b c\n\n  ```\n  a\n  ```\n\n".repeat(size / 31),
  "imports of one line": (size) => '```js\nimport a from "a";\n```\n\n'.repeat(size / 30),
  links: (size) => "[a](b) ".repeat(size / 7),
  "reference links": (size) => `${"[a][b] ".repeat(size / 7)}\n\n[b]: c`,
  definitions: (size) => Array.from({ length: size / 12 }, (_, index) => `[a${index}]: b`).join("\n"),
  footnotes: (size) => Array.from({ length: size / 20 }, (_, index) => `a[^${index}]\n\n[^${index}]: b c\n`).join("\n"),
  "one footnote very often": (size) => `${"a[^1] ".repeat(size / 6)}\n\n[^1]: ${"b ".repeat(500)}`,
  "a footnote of many lines": (size) => `[^1]: a\n${"b c\n".repeat(size / 4)}`,
  "a table with many rows": (size) => `| a | b |\n|---|---|\n${"| c | d |\n".repeat(size / 10)}`,
  "a table of HTML": (size) => `<table>${"<tr><td>a</td></tr>".repeat(size / 19)}</table>`,
  "a table of HTML with many cells": (size) => `<table><tr>${"<td>a".repeat(size / 5)}</tr></table>`,
  "nested elements": (size) => `<div>${"<div><ul><li>".repeat(size / 13)}a`,
  "preformatted text that does not end": (size) => `<div>${"<pre>a ".repeat(size / 7)}`,
  "preformatted blocks": (size) => `<div>\n${"<pre>a\n</pre>\n".repeat(size / 14)}</div>`,
  "scripts that do not end": (size) => `<div>${"<script>a<svg>".repeat(size / 14)}`,
  "comments that do not end": (size) => `<div>${"<!-- a ".repeat(size / 7)}`,
  "tags that do not end": (size) => `<div>${'<a href="'.repeat(size / 9)}`,
  entities: (size) => `<div>${"&amp;&#x41;&nosuch;".repeat(size / 19)}</div>`,
  alerts: (size) => "> [!NOTE] a\n> b\n\n".repeat(size / 17),
  "blocks of GitBook": (size) => '{% tabs %}\n{% tab title="a" %}\n'.repeat(size / 31),
  attributes: (size) => `<Callout ${'title="a" '.repeat(size / 10)}>\n\na b c`,
  shortcodes: (size) => "{{< highlight go >}}\n".repeat(size / 21),
  "shortcodes that do not end": (size) => `a ${"{{< a ".repeat(size / 6)}`,
  "tabs of shortcodes": (size) => '{{< tabpane >}}\n{{% tab "a" %}}\n'.repeat(size / 32),
  "definition lists": (size) => `a\n${": b\n".repeat(size / 4)}`,
  "nested definition lists": (size) => `a\n${": ".repeat(size / 2)}b`,
  "lists of attributes": (size) => `a ${'{.a b="c" '.repeat(size / 10)} {: #x }`,
  "names of links": (size) => "[a][b] [c\nd][e] ".repeat(size / 16),
  "blocks of slashes": (size) => "/// note | a\n".repeat(size / 13),
  trees: (size) => `\`\`\`\n${"├── a\n".repeat(size / 6)}\`\`\``,
  "keys of front matter": (size) => `---\n${"title: a\n".repeat(size / 9)}---\n\n# A\n\nWords that are read.`,
  "front matter that goes on": (size) =>
    `---\ntitle: >\n${"  a\n".repeat(Math.min(size, 60_000) / 4)}---\n\nWords that are read.`,
};

const seconds = (path: string, text: string): number => {
  const bytes = new TextEncoder().encode(text);
  const start = process.threadCpuUsage().user;
  extract(path, bytes);
  return (process.threadCpuUsage().user - start) / 1e6;
};

describe("a page that is made to cost much", () => {
  const size = amount({ short: 80_000, long: 200_000 });

  it.each(Object.entries(bombs))("by %s costs time in proportion to its size", (_, make) => {
    for (const path of ["a.md", "a.mdx"]) {
      // Less than a tenth of a second is fast enough, whatever a smaller page takes.
      const large = seconds(path, make(size));
      if (large < 0.1) continue;
      const again = Math.min(large, seconds(path, make(size)));
      const small = Math.min(seconds(path, make(size / 4)), seconds(path, make(size / 4)));
      // Four times the size; quadratic cost would be sixteen times as much.
      expect({ path, small, large: again, linear: again < 0.1 + small * 10 }).toMatchObject({ linear: true });
    }
  });

  it.each(["one long line", "fences", "a table of HTML", "links", "headings"])(
    "by as much of %s as a page may have has an outcome",
    (name) => {
      const text = bombs[name]?.(amount({ short: 400_000, long: 9_900_000 })) ?? "";
      expect(["indexed", "skipped"]).toContain(extract("a.md", text).outcome);
    },
  );
});

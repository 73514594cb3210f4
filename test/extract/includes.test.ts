import { describe, expect, it } from "vitest";
import { codesOf as blocksOf, type Passage } from "../../domain/passage.ts";
import { movedTo, toLine, toLines } from "../../extract/passage-lines.ts";
import { codesOf, proseOf, withFiles } from "./extract.ts";
import { gitSpec } from "../support/git-spec.ts";

const part =
  "---\ntitle: Part\n---\n\nThis text comes from the part that is included here.\n\n```sh\nnpm install a\n```\n";
const texts: Readonly<Record<string, readonly [path: string, page: string, partPath: string]>> = {
  VitePress: ["docs/a.md", "# A\n\n<!--@include: ./part.md-->\n", "docs/part.md"],
  "VitePress from the root": ["docs/x/a.md", "# A\n\n<!-- @include: @/part.md -->\n", "docs/part.md"],
  MkDocs: ["docs/a.md", '# A\n\n--8<-- "includes/part.md"\n', "includes/part.md"],
  "MkDocs in an admonition": ["docs/a.md", '# A\n\n!!! note\n    --8<-- "includes/part.md"\n', "includes/part.md"],
  "mkdocs-include-markdown over several lines": [
    "docs/a.md",
    '# A\n\n{%\n   include-markdown "../part.md"\n   start="This"\n%}\n\nThis text comes from the part that is included here.\n',
    "part.md",
  ],
  "markdown-include": ["docs/a.md", "# A\n\n{!part.md!}\n", "docs/part.md"],
  mdBook: ["src/a.md", "# A\n\n{{#include part.md}}\n", "src/part.md"],
  Jekyll: ["docs/a.md", "# A\n\n{% include part.md %}\n", "docs/_includes/part.md"],
  GitBook: ["a/b.md", '# A\n\n{% include "../.gitbook/includes/part.md" %}\n', ".gitbook/includes/part.md"],
  "Hugo, from the folder of shared pages": [
    "content/en/docs/tasks/a.md",
    '# A\n\n{{% include "part.md" %}}\n',
    "content/en/includes/part.md",
  ],
  Quarto: ["a.md", "# A\n\n{{< include _part.md >}}\n", "_part.md"],
  Docusaurus: ["docs/a.mdx", "import Part from './_part.mdx';\n\n# A\n\n<Part name=\"x\" />\n", "docs/_part.mdx"],
  "Mintlify, imported": ["x/a.mdx", 'import Part from "/snippets/part.mdx";\n\n# A\n\n<Part />\n', "snippets/part.mdx"],
  "an alias of a folder above": [
    "src/docs/x/a.mdx",
    "import Part from '@parts/part.mdx';\n\n# A\n\n<Part />\n",
    "src/docs/_parts/part.mdx",
  ],
  "Hugo, from the folder of its content": [
    "content/en/x/y/a.md",
    '# A\n\n{{% include "_common/part.md" %}}\n',
    "content/en/_common/part.md",
  ],
  Mintlify: ["x/a.mdx", '# A\n\n<Snippet file="part.mdx" />\n', "snippets/part.mdx"],
  MyST: ["docs/a.md", "# A\n\n```{include} ../part.md\n```\n", "part.md"],
};

describe("text that a page includes", () => {
  it.each(Object.entries(texts))(
    "replaces the include, without its front matter: %s",
    (_title, [path, page, place]) => {
      const result = withFiles(path, page, { [place]: part });
      const [code] = codesOf(result);
      expect(proseOf(result).join("\n")).toContain("comes from the part");
      expect(JSON.stringify(result)).not.toContain("title: Part");
      if (page.includes("start=")) return;
      expect(code).toMatchObject({ language: "bash", code: "npm install a" });
      expect(code?.sources).toEqual([{ path: place, lines: [8, 8] }]);
      expect(code?.lines[0]).toBe(code?.lines[1]);
    },
  );

  it("has the line of the page that includes it", () => {
    const result = withFiles(
      "a.md",
      "# A\n\nSome text of the page itself goes before.\n\n<!--@include: ./b.md-->\n\n## End\n\n```js\nown();\n```\n",
      { "b.md": part },
    );
    expect(codesOf(result).map(({ code, lines, sources }) => [code, lines, sources?.[0]?.path])).toEqual([
      ["npm install a", [5, 5], "b.md"],
      ["own();", [9, 11], undefined],
    ]);
  });

  it("includes more itself, from its own place", () => {
    const result = withFiles("a.md", "# A\n\n<!--@include: ./x/b.md-->\n", {
      "x/b.md": "Words of the first part that is included.\n\n<<< ./c.ts\n",
      "x/c.ts": "deep();\n",
    });
    expect(codesOf(result)).toMatchObject([
      { code: "deep();", lines: [3, 3], sources: [{ path: "x/c.ts", lines: [1, 1] }] },
    ]);
  });

  it("is cut to the requested lines, region or section", () => {
    const b =
      "One line of text stands at the start, before what is wanted here at all.\n\n## Wanted part\n\nThese are the words that are wanted here, by lines or by the name of their section.\n\n### Deeper\n\nMore of them are down here, under a heading that is one level deeper than theirs.\n\n## Other\n\nNot these words at all, as they are under the heading of another section.\n";
    const of = (include: string) => JSON.stringify(withFiles("a.md", `# A\n\n${include}\n`, { "b.md": b }));
    expect(of("<!--@include: ./b.md{3,5}-->")).toMatch(/^(?!.*(?:One line|Not these|Deeper)).*that are wanted/);
    expect(of("<!--@include: ./b.md#wanted-part-->")).toMatch(
      /^(?!.*(?:One line|Not these)).*that are wanted.*More of them/,
    );
    expect(of("<!--@include: ./b.md{9,}-->")).toMatch(/^(?!.*that are wanted).*Not these/);
  });
});

it("a fence becomes longer where what it includes has fences", () => {
  const readme = "# R\n\n```sh\nls\n```\n\n````md\ndeep\n````\n";
  const result = withFiles(
    "docs/a.md",
    "# A\n\n~~~\n{{#include r.md}}\n~~~\n\n```md\n{{#include r.md}}\n```\n\n<<< ./r.md\n\nEnd.\n",
    {
      "docs/r.md": readme,
    },
  );
  expect(codesOf(result).map(({ code }) => code)).toEqual([readme.trimEnd(), readme.trimEnd(), readme.trimEnd()]);
});

it("line ends of included files stay as they are", () => {
  const result = withFiles("a.md", "# A\n\n<<< ./a.ts\n", { "a.ts": "one();\r\n\ttwo();\r\n" });
  expect(codesOf(result).map(({ code }) => code)).toEqual(["one();\r\n\ttwo();"]);
});

it("what is included has its address at each revision, and the same digest at all of them", () => {
  const result = withFiles("a.md", "# A\n\n<<< ./a.ts\n", { "a.ts": "one();\ntwo();\n" });
  const at = (revision: string) => {
    const url = (path: string): string => `https://github.com/o/r/blob/${revision}/${path}`;
    const page = { path: "a.md", url: url("a.md"), includes: [{ path: "a.ts", url: url("a.ts") }] };
    const spec = gitSpec("https://github.com/o/r", { host: "github" });
    return { page, source: { spec, revision }, lines: toLines(page, result, { spec, revision }) };
  };
  const [first, second] = [at("111"), at("222")];
  const passage = JSON.parse(first.lines[0]?.line ?? "") as Passage;
  expect(passage.source).toMatchObject({ path: "a.md", lines: [3, 3] });
  expect(blocksOf(passage)[0]?.sources).toEqual([
    { path: "a.ts", url: "https://github.com/o/r/blob/111/a.ts#L1-L2", lines: [1, 2] },
  ]);
  expect(second.lines[0]?.digest).toBe(first.lines[0]?.digest);
  expect(second.lines[0]?.line).not.toBe(first.lines[0]?.line);
  expect(toLine(movedTo(passage, second.page, second.source))).toEqual(second.lines[0]);
});

it("an included picture outside of code is left out, and code in a dialect of CSS is code", () => {
  const page =
    '# A\n\nWords that stand before it, enough of them.\n\n<div>\n--8<-- "a.svg"\n</div>\n\n```css\n--8<-- "a.tcss"\n```\n';
  const result = withFiles("docs/a.md", page, {
    "docs/a.svg": "<svg>\n\n<text>x</text>\n</svg>\n",
    "docs/a.tcss": "a {}\n",
  });
  expect(codesOf(result).map(({ code }) => code)).toEqual(["a {}"]);
  expect(proseOf(result)).toEqual(["Words that stand before it, enough of them."]);
});

it("text between raw and endraw of Liquid includes nothing", () => {
  const include = (name: string): string => `\`\`\`html\n{% include ${name} %}\n\`\`\`\n`;
  const page = `# A\n\nWords that stand before it.\n\n{% raw %}\n${include("a.html")}{% endraw %}\n\n${include("a.html")}`;
  const result = withFiles("docs/a.md", page, { "_includes/a.html": "<b>x</b>\n" });
  expect(codesOf(result).map(({ code }) => code)).toEqual(["{% include a.html %}", "<b>x</b>"]);
});

import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, proseOf } from "./extract.ts";

const fence = (code: string, info = ""): string => `\`\`\`${info}\n${code}\n\`\`\``;

describe("code of Markdown", () => {
  it("has the headings above it as breadcrumb, and the paragraph before it as description", () => {
    const page = `# Widgets\n\n## Install\n\n### With npm\n\nUse [npm](https://example.com) to get *it*, then \`run\`:\n\n${fence("npm i w", "sh")}\n`;
    expect(examplesOf(extract("a.md", page))).toMatchObject([
      {
        title: "With npm",
        description: "Use npm to get it, then run:",
        breadcrumb: ["Widgets", "Install", "With npm"],
        codes: [{ language: "bash", code: "npm i w" }],
        lines: [9, 11],
      },
    ]);
  });

  it("knows underlined headings, and takes the title from front matter where there is no heading of level 1", () => {
    const page = `---\ntitle: "The guide"\n---\n\nUsage\n-----\n\n${fence("x")}\n`;
    expect(examplesOf(extract("a.md", page))[0]?.breadcrumb).toEqual(["The guide", "Usage"]);
  });

  it.each([
    ["docs/01-getting_started.md", ["Getting started"]],
    ["docs/guide/index.md", ["Guide"]],
    ["README.md", []],
  ])("of the page %s without any title has the breadcrumb %j", (path, breadcrumb) => {
    expect(examplesOf(extract(path, `Some text here.\n\n${fence("x")}`))[0]?.breadcrumb).toEqual(breadcrumb);
  });

  it("has a title of its own where several stand under one heading", () => {
    const page = `# A\n\n## Setup\n\nTo install the tool, run:\n\n${fence("i")}\n\nThen configure it:\n\n${fence("c")}\n\n${fence("d")}\n`;
    expect(examplesOf(extract("a.md", page)).map(({ title }) => title)).toEqual([
      "Setup: install the tool",
      "Setup: configure it",
      "A: Setup",
    ]);
  });

  it("takes the paragraph behind it where none stands before it", () => {
    const page = `# A\n\n## Run\n\n${fence("x")}\n\nThis starts the server.\n`;
    expect(examplesOf(extract("a.md", page))[0]?.description).toBe("This starts the server.");
  });

  it("has at most three sentences and 400 characters of description, the nearest ones", () => {
    const sentence = "Here is a sentence of some length about nothing.";
    const [code] = examplesOf(extract("a.md", `# A\n\n${`${sentence} `.repeat(20)}Last one:\n\n${fence("x")}`));
    expect(code?.description).toBe(`${sentence} ${sentence} Last one:`);
  });

  it("holds blocks together that have nothing but a file's name between them", () => {
    const page = `# A\n\nTwo files:\n\n**src/a.js**\n\n${fence("a", "js")}\n\n\`src/b.css\`:\n\n${fence("b")}\n\n${fence("c")}\n`;
    expect(examplesOf(extract("a.md", page)).map(({ codes, lines }) => ({ codes, lines }))).toEqual([
      {
        codes: [
          { language: "javascript", code: "a", file: "src/a.js" },
          { language: "css", code: "b", file: "src/b.css" },
        ],
        lines: [7, 15],
      },
      { codes: [{ language: "javascript", code: "c" }], lines: [17, 19] },
    ]);
  });

  it.each([
    ["js", "javascript", undefined],
    ["TS {1,3}", "typescript", undefined],
    ['python title="app/main.py" linenums="1"', "python", "app/main.py"],
    ["ts [vite.config.ts]", "typescript", "vite.config.ts"],
    ["jsx src/App.js active", "jsx", "src/App.js"],
    ["js:src/a.js", "javascript", "src/a.js"],
    ["rust,ignore", "rust", undefined],
    ["{.python .numberLines}", "python", undefined],
    ["docker-compose.yml", "yaml", "docker-compose.yml"],
    ["console", "bash", undefined],
    ["text", "text", undefined],
    ["sh [npm]", "bash", undefined],
    ['title="Two words"', "", undefined],
    ["js {expectedErrors: {'react-compiler': [7, 8]}}", "javascript", undefined],
    ["js {expectedErrors: {'react-compiler': [7, 8]}} src/App.js hidden", "javascript", "src/App.js"],
    ["js {highlight: [3, '6-8'], title: \"stock.js\"} showLineNumbers", "javascript", "stock.js"],
    ["{highlight: [7, 8]}", "", undefined],
  ])("whose fence says `%s` is in %s, in the file %s", (info, language, file) => {
    const [code] = codesOf(extract("a.md", `# A\n\n~~~${info}\nx y\n~~~`));
    expect({ language: code?.language, file: code?.file }).toEqual({ language, file });
  });

  it.each(["js {errors: {'a-b': [7, 8]}}", "js {lines: [5]}", "sh {args: ['-v', '-c']}", '{"hl": [1]}'])(
    "is not named after the numbers and words that `%s` says in braces",
    (info) => {
      const [code] = codesOf(extract("a.md", `# A\n\n~~~${info}\nx y\n~~~`));
      expect(code).not.toHaveProperty("label");
      expect(code).not.toHaveProperty("file");
    },
  );

  it("without a language has that which it shows, or which most of the page is in", () => {
    const blocks = [
      fence("a", "ruby"),
      fence("b", "ruby"),
      fence("c", "js"),
      fence("d"),
      fence("$ ls -l"),
      fence('{"a": 1}'),
      fence("#!/usr/bin/env python3\nx"),
    ];
    expect(codesOf(extract("a.md", blocks.join("\n\n"))).map(({ language }) => language)).toEqual([
      "ruby",
      "ruby",
      "javascript",
      "ruby",
      "bash",
      "json",
      "python",
    ]);
  });

  it("comes out of the callouts and tabs of MkDocs, whose content is indented", () => {
    const page =
      '# A\n\n=== "npm"\n\n    ```sh\n    npm i\n      --x\n    ```\n\n!!! note "Mind"\n    Text in it.\n\n    ```js\n    b\n    ```\n\nAfter.\n';
    expect(codesOf(extract("a.md", page)).map(({ code }) => code)).toEqual(["npm i\n  --x", "b"]);
  });
});

describe("MDX", () => {
  const page = [
    "import Tabs from '@theme/Tabs'",
    "export const a = {",
    "",
    "  b: '```',",
    "}",
    "",
    "# Title",
    "",
    "{/* hidden",
    "",
    "comment */}",
    "",
    "<Tabs items={['a', 'b']}>",
    "      <Tab",
    '        value="x > y">',
    "        ```js",
    "        one",
    "          two",
    "        ```",
    "      </Tab>",
    "<CodeGroup>",
    "```sh a.sh",
    "three",
    "```",
    "</CodeGroup>",
    "</Tabs>",
    "",
    "Prose with `<Tag>` and <b>bold</b> that is long enough to be served as such.",
  ].join("\n");

  it("has its fences wherever they stand in components", () => {
    expect(codesOf(extract("a.mdx", page)).map(({ code }) => code)).toEqual(["one\n  two", "three"]);
  });

  it("has prose without imports, exports, comments and tags", () => {
    expect(proseOf(extract("a.mdx", page))).toEqual([
      "Prose with `<Tag>` and **bold** that is long enough to be served as such.",
    ]);
  });
});

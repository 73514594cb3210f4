import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, passagesOf } from "./extract.ts";

const fence = (code: string, info = ""): string => `\`\`\`${info}\n${code}\n\`\`\``;
const one = fence("npm create it", "sh");
const two = fence("yarn create it", "sh");

/** The same two tabs as each generator writes them; `bare` ones name no language. */
const groups: Readonly<Record<string, readonly [path: string, text: string]>> = {
  VitePress: [
    "a.md",
    `::: code-group\n\n${fence("npm create it", "sh [npm]")}\n\n${fence("yarn create it", "sh [yarn]")}\n\n:::`,
  ],
  "VitePress, without blank lines": [
    "a.md",
    `::: code-group\n${fence("npm create it", "sh [npm]")}\n${fence("yarn create it", "sh [yarn]")}\n:::`,
  ],
  VuePress: ["a.md", `::: code-tabs\n@tab npm\n\n${one}\n\n@tab:active yarn\n\n${two}\n\n:::`],
  "vitepress-plugin-tabs": ["a.md", `:::tabs\n== npm\n\n${one}\n\n== yarn\n\n${two}\n\n:::`],
  MkDocs: [
    "a.md",
    `=== "npm"\n\n    ${one.replaceAll("\n", "\n    ")}\n\n=== "yarn"\n\n    ${two.replaceAll("\n", "\n    ")}`,
  ],
  Docusaurus: [
    "a.mdx",
    `<Tabs groupId="x">\n  <TabItem value="a" label="npm">\n\n${one}\n\n  </TabItem>\n  <TabItem value="b" label="yarn">\n\n${two}\n\n  </TabItem>\n</Tabs>`,
  ],
  "Docusaurus in Markdown": [
    "a.md",
    `<Tabs>\n<TabItem value="npm">\n\n${one}\n\n</TabItem>\n<TabItem value="yarn">\n\n${two}\n\n</TabItem>\n</Tabs>`,
  ],
  Starlight: [
    "a.mdx",
    `<Tabs>\n  <TabItem label="npm">\n  ${one.replaceAll("\n", "\n  ")}\n  </TabItem>\n  <TabItem label="yarn">\n  ${two.replaceAll("\n", "\n  ")}\n  </TabItem>\n</Tabs>`,
  ],
  Nextra: [
    "a.mdx",
    `<Tabs items={['npm', "yarn"]}>\n  <Tabs.Tab>\n${one}\n  </Tabs.Tab>\n  <Tabs.Tab>\n${two}\n  </Tabs.Tab>\n</Tabs>`,
  ],
  Fumadocs: [
    "a.mdx",
    `<Tabs items={['npm', 'yarn']}>\n\n<Tab value="npm">\n\n${one}\n\n</Tab>\n\n<Tab value="yarn">\n\n${two}\n\n</Tab>\n\n</Tabs>`,
  ],
  Mintlify: [
    "a.mdx",
    `<CodeGroup>\n\n${fence("npm create it", "sh npm")}\n\n${fence("yarn create it", 'sh title="yarn"')}\n\n</CodeGroup>`,
  ],
  GitBook: [
    "a.md",
    `{% tabs %}\n{% tab title="npm" %}\n${one}\n{% endtab %}\n\n{% tab title="yarn" %}\n${two}\n{% endtab %}\n{% endtabs %}`,
  ],
  "Nuxt Content": [
    "a.md",
    `::code-group{sync="pm"}\n\n${fence("npm create it", "bash [npm]")}\n\n${fence("yarn create it", "bash [yarn]")}\n\n::`,
  ],
  "Nuxt Content, tabs": [
    "a.md",
    `::tabs\n\n:::tabs-item{label="npm"}\n\n${one}\n\n:::\n\n:::tabs-item{label="yarn"}\n\n${two}\n\n:::\n\n::`,
  ],
};

describe("tabs", () => {
  it.each(Object.entries(groups))("of %s are one snippet, and what follows is another", (_, [path, text]) => {
    const page = `# A\n\n## B\n\nCreate a project with it:\n\n${text}\n\nThen look at what was made there:\n\n${fence("ls -l", "sh")}\n`;
    expect(
      examplesOf(extract(path, page)).map(({ codes, description }) => [codes.map(({ code }) => code), description]),
    ).toEqual([
      [
        ["npm create it", "yarn create it"],
        expect.stringMatching(/^Create a project with it:(?: For npm and yarn\.)?$/),
      ],
      [["ls -l"], "Then look at what was made there:"],
    ]);
  });

  it("give their labels as languages and names of files", () => {
    const page = `::: code-group\n\n${fence("a", "[vite.config.ts]")}\n\n${fence("b", "[Python]")}\n\n:::\n\n=== "C#"\n\n    ~~~\n    c\n    ~~~\n`;
    expect(codesOf(extract("a.md", `# A\n\n${page}`)).map(({ language, file }) => ({ language, file }))).toEqual([
      { language: "typescript", file: "vite.config.ts" },
      { language: "python", file: undefined },
      { language: "csharp", file: undefined },
    ]);
  });

  it("with several blocks each are snippets of their own, named after their tab", () => {
    const tab = (name: string): string =>
      `<Tab title="${name}">\n\n${fence(`${name} a b`)}\n\nSome words.\n\n${fence(`${name} c d`)}\n\n</Tab>`;
    const snippets = examplesOf(
      extract("a.mdx", `# A\n\n## B\n\n<Tabs>\n\n${tab("macOS")}\n\n${tab("Windows")}\n\n</Tabs>\n`),
    );
    expect(snippets.map(({ codes }) => codes.length)).toEqual([1, 1, 1, 1]);
    expect(snippets[0]?.title).toBe("B: macOS");
    expect(snippets[2]?.title).toContain("Windows");
  });

  it("hold the files of a sandbox together", () => {
    const page = `# A\n\n<Sandpack>\n\n${fence("a", "js src/App.js")}\n\n${fence("b", "js src/b.js hidden")}\n\n${fence("c", "css")}\n\n</Sandpack>\n\n${fence("d")}\n`;
    expect(examplesOf(extract("a.md", page)).map(({ codes }) => codes)).toEqual([
      [
        { language: "javascript", code: "a", file: "src/App.js" },
        { language: "javascript", code: "b", file: "src/b.js" },
        { language: "css", code: "c" },
      ],
      [{ language: "javascript", code: "d" }],
    ]);
  });

  it("that are never closed end with the next heading", () => {
    const page = `# A\n\n<CodeGroup>\n\n${fence("a")}\n\n## B\n\n${fence("b")}\n\n${fence("c")}\n`;
    expect(examplesOf(extract("a.md", page)).map(({ codes }) => codes.length)).toEqual([1, 1, 1]);
  });
});

describe("one-liners", () => {
  const texts = (page: string) =>
    passagesOf(extract("a.md", page)).flatMap(({ blocks }) =>
      blocks.map((block) => (block.type === "prose" ? block.markdown : block.codes.map(({ code }) => code))),
    );

  it("that install with alternative tools stay in place, as do the steps after", () => {
    const page = `# A\n\n## Install\n\n${fence("npm i w", "sh")}\n\nor with yarn:\n\n${fence("yarn add w", "sh")}\n\nThen use it:\n\n${fence("w.run();\nw.end();", "js")}\n`;
    expect(texts(page)).toEqual([["npm i w"], "or with yarn:", ["yarn add w"], "Then use it:", ["w.run();\nw.end();"]]);
  });

  it("that import come before the code under the same heading", () => {
    const use = "const w = make();\nw.go();";
    expect(
      texts(
        `# A\n\n## B\n\n${fence('import w from "w";', "js")}\n\nMake one:\n\n${fence(use, "js")}\n\n## C\n\n${fence("d();", "js")}\n`,
      ),
    ).toEqual(["#### B", ['import w from "w";'], "Make one:", [use], "#### C", ["d();"]]);
  });
});

describe("a description", () => {
  const code = Array.from({ length: 9 }, (_, line) => `line${line};`).join("\n");

  it("is the introduction above where the code has no words of its own", () => {
    const page = `# A\n\n## B\n\nThe method sends things away. It is quick.\n\n### Example\n\n${fence(code)}\n`;
    expect(examplesOf(extract("a.md", page))).toMatchObject([
      { title: "B: Example", description: "The method sends things away." },
    ]);
  });

  it("has short footnotes in it", () => {
    const page = `# A\n\nCall it[^1] now[^long]:\n\n${fence(code)}\n\n[^1]: Twice at most.\n[^long]: ${"Very long. ".repeat(30)}\n`;
    expect(examplesOf(extract("a.md", page))[0]?.description).toBe("Call it (Twice at most) now:");
  });
});

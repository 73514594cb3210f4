import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import about from "../../package.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { createFinisher, summarise } from "../../extract/finish.ts";
import { packFingerprints } from "../../extract/fingerprints.ts";
import { defectsOf } from "../../extract/quality.ts";
import { toLines } from "../../extract/passage-lines.ts";
import { examplesOf, extract, passagesOf } from "./extract.ts";

const example = {
  type: "code",
  title: "Start the server",
  description: "Starts it on a port.",
  codes: [{ language: "javascript", code: "server.listen({ port: 3000 });" }],
  url: "https://e.com/a#L3-L5",
  lines: [3, 5],
} as const;
const sound: Passage = {
  id: "a",
  title: "Start the server",
  breadcrumb: ["A"],
  blocks: [{ type: "prose", markdown: "Start it:" }, example],
  page: { title: "A", url: "https://e.com/a" },
  source: { path: "docs/a.md", url: "https://e.com/a#L1-L5", lines: [1, 5], revision: "1" },
  tokens: 20,
};
const code = (text: string, language = "javascript"): Partial<Passage> => ({
  blocks: [{ ...example, codes: [{ language, code: text }] }],
});
const prose = (markdown: string): Partial<Passage> => ({ blocks: [{ type: "prose", markdown }] });

describe("the checks of a passage", () => {
  it("find nothing wrong with a good one", () => {
    expect(defectsOf(sound)).toEqual([]);
    expect(defectsOf({ ...sound, ...prose("Words that say enough to be of use to somebody.") })).toEqual([]);
  });

  it.each<[string, Partial<Passage>]>([
    ["title_missing", { title: " " }],
    ["description_missing", { blocks: [{ ...example, description: "" }] }],
    ["source_missing", { source: { url: "", revision: "1" } }],
    ["code_missing", { blocks: [{ ...example, codes: [] }] }],
    ["code_missing", code("\n")],
    ["language_missing", code("server.listen({ port: 3000 });", "")],
    ["language_odd", code("server.listen({ port: 3000 });", "console")],
    ["code_tiny", code("a.b")],
    ["list_in_code", code("const a = 1;\n• one more\n• and two")],
    ["list_in_code", code("1. Do this thing\n2. And then that")],
    ["citation_in_code", code("see [1] https://example.com/paper for more")],
    ["licence", { source: { path: "LICENSE.md", url: "https://e.com", revision: "1" } }],
    ["directory_tree", code("├── a.js\n└── b.js", "text")],
    ["only_install_or_import", code("npm install --save-dev something", "bash")],
    ["only_install_or_import", code('import { a, b } from "something";')],
    ["content_missing", prose("")],
    ["content_tiny", prose("Few words.")],
    ["content_large", prose("More words than anybody reads. ".repeat(300))],
  ])("find %s", (defect, change) => {
    expect(defectsOf({ ...sound, ...change })).toEqual([defect]);
  });

  it("look at each example of a passage, and name each defect once", () => {
    const bare = { ...example, description: "" };
    expect(defectsOf({ ...sound, blocks: [example, bare, bare] })).toEqual(["description_missing"]);
  });

  it("take the library's own language for that of code without one", () => {
    expect(defectsOf({ ...sound, ...code("server.listen({ port: 3000 });", "") }, "javascript")).toEqual([]);
  });
});

const spec: SourceSpec = {
  kind: "git",
  host: "github",
  url: "https://git.example.com/acme/widgets",
  branch: null,
  selection: { folders: [], excludeFolders: null, excludeFiles: null },
  skipVersionFiltering: false,
};

describe("the passages of real documentation", () => {
  const modules = join(import.meta.dirname, "..", "..", "node_modules");
  // Transitive dependencies mostly have one function and a README of ten lines.
  const packages = Object.keys({ ...about.dependencies, ...about.devDependencies });

  it("have no defect, but for a few", () => {
    let [all, good] = [0, 0];
    for (const name of packages.toSorted()) {
      const finisher = createFinisher();
      const passages: Passage[] = [];
      for (const path of globSync("{README,docs/**/*}.md", { cwd: join(modules, name) }).toSorted()) {
        const result = extract(path, readFileSync(join(modules, name, path)));
        if (result.outcome === "skipped") continue;
        const lines = toLines({ path, url: `https://git.example.com/${name}/${path}` }, result, {
          spec,
          revision: "1",
        });
        const flags = finisher.take(summarise(path, result), packFingerprints(lines));
        passages.push(
          ...lines.filter((_, index) => flags[index] === undefined).map(({ line }) => JSON.parse(line) as Passage),
        );
      }
      const { language } = finisher.finish();
      all += passages.length;
      good += passages.filter((passage) => defectsOf(passage, language).length === 0).length;
    }
    expect(all).toBeGreaterThan(500);
    // READMEs of small packages have more of the shortest code than documentation has: see `npm run bench:extraction`.
    expect(good / all).toBeGreaterThan(0.9);
  });
});

describe("what is left out", () => {
  const body = "Words that would be served, were they documentation.\n\n```sh\nrun this thing now\n```\n";
  const reasons = (path: string, text: string) => {
    const result = extract(path, text);
    return result.outcome === "skipped" ? result.code : result.leftOut.map(({ reason, lines }) => [reason, ...lines]);
  };

  const terms = "Copyright (c) 2024 Jane Doe.\n\n```\nPermission is hereby granted\n```\n";
  const entries = "#### 1.2.0\n\n```js\nchanged();\n```\n";
  const names = "[@jane](https://e.com/jane) and others.\n\n```\njane, joe\n```\n";

  it.each([
    ["licence", "## License", terms],
    ["licence", "## 📄 Licence", terms],
    ["changelog", "## Change Log", entries],
    ["people", "## Contributors ✨", names],
    ["people", "## Sponsors & Backers", names],
  ])("of a README is the section on its %s: %s, with those below it, and not the next", (reason, heading, said) => {
    const page = `# A\n\nThe words that stay in any case.\n\n${heading}\n\n### 1.x\n\n${said}\n## Usage\n\n${body}`;
    expect(reasons("README.md", page)).toEqual([[reason, 11, 13]]);
    expect(examplesOf(extract("README.md", page))).toHaveLength(1);
  });

  it("of documentation are no sections that mean something there", () => {
    expect(reasons("docs/a.md", `# A\n\n## Team\n\n${body}\n## Authors\n\n${body}\n## History\n\n${body}`)).toEqual([]);
  });

  it("is code that footnotes seem to have", () => {
    expect(
      reasons("a.md", "# A\n\nText[^1] that is long enough to be prose.\n\n[^1]: A note.\n\n        more(of, it);\n"),
    ).toEqual([["footnote", 7, 7]]);
  });

  it("is not a drawing of folders, which is prose", () => {
    const tree = "app\n├── a.js\n└── b.js";
    const page = `# A\n\nIt looks like this, with two files:\n\n\`\`\`\n${tree}\n\`\`\`\n`;
    expect(passagesOf(extract("a.md", page)).map(({ blocks }) => blocks)).toMatchObject([
      [{ type: "prose", markdown: expect.stringContaining(tree) as unknown }],
    ]);
  });
});

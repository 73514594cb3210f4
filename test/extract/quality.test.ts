import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Snippet } from "../../domain/snippet.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { createFinisher, summarise } from "../../extract/finish.ts";
import { packMarks } from "../../extract/marks.ts";
import { defectsOf } from "../../extract/quality.ts";
import { toLines } from "../../extract/snippets.ts";
import { extract, snippetsOf } from "./extract.ts";

const sound: Snippet = {
  id: "a",
  kind: "code",
  title: "Start the server",
  description: "Starts it on a port.",
  breadcrumb: ["A"],
  codes: [{ language: "javascript", code: "server.listen({ port: 3000 });" }],
  page: { title: "A", url: "https://e.com/a" },
  source: { path: "docs/a.md", url: "https://e.com/a#L1-L2", lines: [1, 2], revision: "1" },
  tokens: 20,
};
const code = (text: string, language = "javascript"): Partial<Snippet> => ({ codes: [{ language, code: text }] });
const prose = (content: string): Partial<Snippet> => ({ kind: "info", codes: [], content });

describe("the checks of a snippet", () => {
  it("find nothing wrong with a good one", () => {
    expect(defectsOf(sound)).toEqual([]);
    expect(defectsOf({ ...sound, ...prose("Words that say enough to be of use to somebody.") })).toEqual([]);
  });

  it.each<[string, Partial<Snippet>]>([
    ["title_missing", { title: " " }],
    ["description_missing", { description: "" }],
    ["source_missing", { source: { url: "", revision: "1" } }],
    ["code_missing", { codes: [] }],
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

describe("the snippets of real documentation", () => {
  const modules = join(import.meta.dirname, "..", "..", "node_modules");
  const packages = globSync("{*,@*/*}/README.md", { cwd: modules }).map((name) => name.replace(/[\\/]README\.md$/, ""));

  it("have no defect, but for a few", () => {
    let [all, good] = [0, 0];
    for (const name of packages.toSorted()) {
      const finisher = createFinisher();
      const snippets: Snippet[] = [];
      for (const path of globSync("{README,docs/**/*}.md", { cwd: join(modules, name) }).toSorted()) {
        const result = extract(path, readFileSync(join(modules, name, path)));
        if (result.outcome === "skipped") continue;
        const lines = toLines({ path, url: `https://git.example.com/${name}/${path}` }, result, {
          spec,
          revision: "1",
        });
        const flags = finisher.take(summarise(path, result), packMarks(lines));
        snippets.push(
          ...lines.filter((_, index) => flags[index] === undefined).map(({ line }) => JSON.parse(line) as Snippet),
        );
      }
      const { language } = finisher.finish();
      all += snippets.length;
      good += snippets.filter((snippet) => defectsOf(snippet, language).length === 0).length;
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

  it.each([
    ["licence", "## License"],
    ["licence", "## 📄 Licence"],
    ["changelog", "## Change Log"],
    ["people", "## Contributors ✨"],
    ["people", "## Sponsors & Backers"],
  ])("of a README is the section on its %s: %s, with those below it, and not the next", (reason, heading) => {
    const page = `# A\n\nThe words that stay in any case.\n\n${heading}\n\n### More\n\n${body}\n## Usage\n\n${body}`;
    expect(reasons("README.md", page)).toEqual([[reason, 11, 13]]);
    expect(snippetsOf(extract("README.md", page), "code")).toHaveLength(1);
  });

  it("of documentation are no sections that mean something there", () => {
    expect(reasons("docs/a.md", `# A\n\n## Team\n\n${body}\n## Authors\n\n${body}\n## History\n\n${body}`)).toEqual([]);
  });

  it.each(["HISTORY.md", "CHANGES-2.x.md", "docs/LICENSE.md"])("is all of %s", (path) => {
    expect(reasons(path, `# A\n\n${body}`)).toBe("no_snippets");
  });

  it("is code that footnotes seem to have", () => {
    expect(
      reasons("a.md", "# A\n\nText[^1] that is long enough to be prose.\n\n[^1]: A note.\n\n    More of the note.\n"),
    ).toEqual([["footnote", 7, 7]]);
  });

  it("is not a drawing of folders, which is prose", () => {
    const tree = "app\n├── a.js\n└── b.js";
    const snippets = snippetsOf(
      extract("a.md", `# A\n\nIt looks like this, with two files:\n\n\`\`\`\n${tree}\n\`\`\`\n`),
    );
    expect(snippets).toMatchObject([{ kind: "info", content: expect.stringContaining(tree) as unknown }]);
  });
});

import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, fixture, fixtures, outline } from "./outline.ts";

const url = "https://sample.example.com/docs/page";
const names = globSync("*.html", { cwd: fixtures }).map((name) => basename(name, ".html"));
const codes = (name: string) => documentOf(fixture(name)).blocks.filter((block) => block.type === "code");

describe("pages of generators", () => {
  it.each(names)("of %s say what their expected outline says", async (name) => {
    const read = outline(documentOf(fixture(name), { url }));
    expect(read).not.toMatch(/Navigation of the site|Copyright of the site|Copy\b|Next page of the site|Permalink|¶/);
    await expect(read).toMatchFileSnapshot(join(fixtures, `${name}.txt`));
  });

  it("all give the same code, whatever surrounds it: lines, line numbers, marks of highlighters", () => {
    const marked = "const a = 1;\nconst b = 2;\n\nconst c = 3;";
    for (const name of ["docusaurus", "starlight", "nextra"])
      expect(
        codes(name).map(({ code }) => code),
        name,
      ).toContain(marked);
    const numbered = "def some_function():\n    interesting = False\n\n    print('This line is highlighted.')";
    for (const name of ["sphinx-furo", "sphinx-rtd", "sphinx-classic"])
      expect(
        codes(name).map(({ code }) => code),
        name,
      ).toContain(numbered);
  });

  it("keep tabs that are not chosen, with their labels", () => {
    for (const name of [
      "docusaurus",
      "starlight",
      "mkdocs-material",
      "nextra",
      "vitepress",
      "sphinx-furo",
      "mintlify",
      "gitbook",
    ]) {
      const labels = codes(name).flatMap(({ tab }) => (tab === undefined ? [] : [tab.label]));
      expect(labels.length, name).toBeGreaterThan(1);
      expect(labels, name).not.toContain("");
    }
  });

  it("have signatures of APIs as code under a heading with its own id", () => {
    const signatures: Readonly<Record<string, readonly [string, string, string]>> = {
      "sphinx-pydata": ["samplesphinx.Client.get", "python", "get(path: str"],
      "sphinx-alabaster": ["samplesphinx.Client.get", "python", "get(path: str"],
      rustdoc: ["method.get", "rust", "pub fn get<T>(&self, path: T) -> String\nwhere"],
      javadoc: [
        "get(java.lang.String,java.lang.Class)",
        "java",
        "public <T extends Comparable<T>> List<T> get(String path, Class<T> type)",
      ],
      typedoc: ["get", "typescript", "get(path: string, headers?: Readonly<Record<string, string>>): Promise<string>"],
      mkdocstrings: ["samplelib.Client.get", "python", "get(path: str"],
      pkgsite: ["Client.Get", "go", "func (c *Client) Get(path string) (string, error)"],
    };
    for (const [name, [id, language, start]] of Object.entries(signatures)) {
      const { blocks } = documentOf(fixture(name));
      const at = blocks.findIndex((block) => block.type === "heading" && block.id === id);
      expect(blocks[at + 1], name).toMatchObject({
        type: "code",
        language,
        code: expect.stringContaining(start) as string,
      });
    }
  });
});

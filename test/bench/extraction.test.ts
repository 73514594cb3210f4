import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectLibrary } from "../../tools/bench/extraction/collect.ts";
import type { CollectedLibrary } from "../../tools/bench/extraction/collect.ts";
import type { Fault, FaultKind } from "../../tools/bench/extraction/fault-kinds.ts";
import { faultsOf } from "../../tools/bench/extraction/faults.ts";
import { figuresOf } from "../../tools/bench/extraction/figures.ts";
import type { Passage } from "../../domain/passage.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const words = "These are words enough to be served as prose by themselves, and a few more of them.";
const files: Readonly<Record<string, string>> = {
  "docs/a.md": `# A\n\n${words}\n\n\`\`\`js title="Two words" del={1}\nrun();\nstop();\n\`\`\`\n\n\`\`\`\n$ go\n\`\`\`\n`,
  "docs/links.md": `# Links\n\n${words}\n\n- [One](https://example.com/1)\n- [Two](https://example.com/2)\n- [Three](https://example.com/3)\n`,
  "docs/included.md": `# Included\n\n${words}\n\n\`\`\`rust\n{{#include ../src/main.rs}}\n\`\`\`\n`,
  "docs/licence.md": "# Licence\n\nReleased under the MIT licence.\n\n```text\nMIT\n```\n",
  "src/main.rs": 'fn main() {\n    println!("Hello");\n}\n',
};

describe("extraction is measured", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let library: CollectedLibrary;

  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, path)), { recursive: true });
      await writeFile(join(folder.path, path), text);
    }
    const selection = { folders: [], excludeFolders: null, excludeFiles: null };
    library = await collectLibrary("acme", await realpath(folder.path), { extensions: [".md"], selection });
  });

  afterAll(() => folder[Symbol.asyncDispose]());

  it("by the blocks of an independent parser, included ones by the lines of their files", () => {
    const { sums, dropped, lost } = figuresOf(library);
    expect(Object.fromEntries(sums)).toMatchObject({ blocks: 4, kept: 3, included: 1 });
    expect([...dropped]).toEqual([["not_documentation", 1]]);
    expect(lost).toEqual([]);
    const [page, ...others] = library.pages;
    if (page === undefined) throw new Error("There is no page.");
    const without = { ...library, pages: [{ ...page, passages: [] }, ...others] };
    expect(figuresOf(without).lost).toEqual(["docs/a.md:5", "docs/a.md:10"]);
  });

  it("finds no fault in what is sound", () => {
    expect(faultsOf(library)).toEqual([]);
  });

  /** Faults of the library if the passages of its first page were others. */
  function faultsWith(change: (passage: Passage) => Passage): readonly Fault[] {
    const pages = library.pages.map((page, at) => (at === 0 ? { ...page, passages: page.passages.map(change) } : page));
    return faultsOf({ ...library, pages });
  }

  it.each<[FaultKind, string]>([
    ["component", "A <Card title='x'> here."],
    ["html", "A <div class='x'> here."],
    ["shortcode", "A {{< note >}} here."],
    ["anchor", "Part {#part}"],
    ["variable", "Version {{ version }}."],
    ["directive", ":::tip"],
    ["esm", "import A from './a';"],
    ["include", "<<< @/a.js"],
    ["matter", "---\ntitle: A\n---"],
  ])("finds what is left in prose: %s", (kind, markdown) => {
    const found = faultsWith((passage) => ({ ...passage, blocks: [{ type: "prose", markdown }] }));
    expect(found.map((fault) => fault.kind)).toEqual([kind]);
    // Code may hold anything.
    const inCode = `\`\`\`\n${markdown}\n\`\`\``;
    expect(faultsWith((passage) => ({ ...passage, blocks: [{ type: "prose", markdown: inCode }] }))).toEqual([]);
  });

  it("finds marks and titles that are not told, and languages that are not known or odd", () => {
    const found = faultsWith((passage) => ({
      ...passage,
      blocks: passage.blocks.map((block) =>
        block.type === "prose"
          ? block
          : {
              ...block,
              title: "A",
              codes: block.codes.map(({ marks: _marks, label: _label, ...code }) => ({
                ...code,
                language: code.code.startsWith("$") ? "rust" : "js",
              })),
            },
      ),
    }));
    expect(found.map(({ kind }) => kind).toSorted()).toEqual(["blockTitle", "guess", "marks"]);
  });

  it("finds titles that say little, and lists of links that are gone", () => {
    const kinds = (change: (passage: Passage) => Passage): unknown => faultsWith(change).map(({ kind }) => kind);
    expect(kinds((passage) => ({ ...passage, title: "Run it with the" }))).toEqual(["halfTitle"]);
    expect(kinds((passage) => ({ ...passage, title: "Run it with…" }))).toEqual(["cutTitle"]);
    expect(kinds((passage) => ({ ...passage, page: { ...passage.page, title: "a.md" } }))).toEqual(["fileTitle"]);
    const pages = library.pages.map((page) => (page.input.path === "docs/links.md" ? { ...page, passages: [] } : page));
    expect(faultsOf({ ...library, pages }).map(({ kind }) => kind)).toEqual(["links"]);
  });
});

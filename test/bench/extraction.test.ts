import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectLibrary, type CollectedLibrary } from "../../tools/bench/extraction/collect.ts";
import { figuresOf } from "../../tools/bench/extraction/figures.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const words = "These are words enough to be served as prose by themselves, and a few more of them.";
const files: Readonly<Record<string, string>> = {
  "docs/a.md": `# A\n\n${words}\n\n\`\`\`js title="Two words" del={1}\nrun();\nstop();\n\`\`\`\n\n\`\`\`\n$ go\n\`\`\`\n`,
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
});

import { describe, expect, it } from "vitest";
import { listTree, type TreeEntry } from "../../../sources/git/tree.ts";

async function* entriesOf(paths: readonly string[]): AsyncGenerator<readonly TreeEntry[]> {
  const entries = paths.map((path) => ({ mode: "100644", oid: "0".repeat(40), path }));
  for (let start = 0; start < entries.length; start += 1000) yield entries.slice(start, start + 1000);
}

const isDocument = (path: string): boolean => path.endsWith(".md");

describe("a tree", () => {
  it("with documents in too many folders is too large", async () => {
    const folders = (count: number): string[] =>
      Array.from({ length: count }, (_value, at) => `f${String(at).padStart(6, "0")}/${at % 7}/a.md`);
    await expect(listTree(entriesOf(folders(110_000)), isDocument)).rejects.toMatchObject({
      code: "library_too_large",
      message: "The repository has documents in more than 200000 folders.",
    });
    expect((await listTree(entriesOf(folders(90_000)), isDocument)).documents.size).toBe(90_000);
  });

  it("counts no folder twice, and none without documents", async () => {
    const nested = Array.from({ length: 150_000 }, (_value, at) => `docs/guide/${String(at).padStart(6, "0")}.md`);
    const code = Array.from({ length: 250_000 }, (_value, at) => `src/${at}/a.ts`);
    expect((await listTree(entriesOf([...nested, ...code]), isDocument)).documents.size).toBe(150_000);
  });
});

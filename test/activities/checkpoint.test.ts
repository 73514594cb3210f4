import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFolderBlobStore } from "../../blobs/folder.ts";
import type { Source } from "../../domain/ports.ts";
import { collectHere } from "./collecting.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** A source that finds one more page at each attempt, and needs three. */
function source(found: string[][]): Source {
  return {
    kind: "git",
    resolve: () => Promise.reject(new Error("It is not resolved here.")),
    async *read(_, __, { checkpoint, known }) {
      const state = await checkpoint.load();
      const pages = state ? (JSON.parse(Buffer.from(state).toString()) as string[]) : [];
      found.push(pages);
      pages.push(`p${pages.length}.md`);
      await checkpoint.save(Buffer.from(JSON.stringify(pages)));
      for (const key of pages) {
        const page = { key, url: `https://example.com/${key}`, mediaType: "text/markdown", fingerprint: key };
        if (known(page)) yield { type: "known", page };
        else yield { type: "page", page, bytes: Buffer.from(`# ${key}\n\n\`\`\`js\ncall("${key}");\n\`\`\`\n`) };
      }
      if (pages.length < 3) throw new Error("The attempt is cut off.");
    },
  };
}

it("a long read goes on where its last attempt was, and leaves nothing of that behind", async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  const found: string[][] = [];
  const attempt = () =>
    collectHere({ blobs, source: source(found), input: { generation: "g1" }, context: { scratch: folder.path } });
  await expect(attempt()).rejects.toThrow("The attempt is cut off.");
  await expect(attempt()).rejects.toThrow("The attempt is cut off.");
  const { manifest } = await attempt();
  expect(found.map(({ length }) => length)).toEqual([1, 2, 3]);
  expect(manifest.pages.map(({ path }) => path)).toEqual(["p0.md", "p1.md", "p2.md"]);
  const keys = await Array.fromAsync(blobs.list("generations/g1/"));
  expect(keys.filter((key) => key.includes("checkpoint"))).toEqual([]);
});

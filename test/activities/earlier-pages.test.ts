import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import type { BlobStore, Source } from "../../domain/ports.ts";
import { folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

const refs = Array.from({ length: 40 }, (_, number) => ({
  key: `p${number}.md`,
  url: `https://example.com/p${number}.md`,
  mediaType: "text/markdown",
  fingerprint: `${number}`,
}));

/** Pages that never change. */
const source: Source = {
  kind: "git",
  resolve: neverResolved,
  async *read(_, __, { known }) {
    for (const page of refs) {
      if (known(page)) yield { type: "known", page };
      else yield { type: "page", page, bytes: Buffer.from(`# Page\n\n\`\`\`js\ncall("${page.key}");\n\`\`\`\n`) };
    }
  },
};

it("reads a part of the live generation once for all of its pages", async () => {
  const scratch = await folderOfTest();
  const blobs = createFolderBlobStore({ folder: join(scratch, "blobs") });
  const gets: string[] = [];
  const counting: BlobStore = {
    ...blobs,
    get(key) {
      gets.push(key);
      return blobs.get(key);
    },
  };
  const first = await collectHere({ blobs, source, input: { generation: "g1" }, context: { scratch } });
  const again = await collectHere({
    blobs: counting,
    source,
    // If nothing had changed, it would not be read at all.
    input: { generation: "g2", live: "g1", optionsHash: "other" },
    context: { scratch },
  });
  expect(again.manifest.contentHash).toBe(first.manifest.contentHash);
  // The other read verifies its hash.
  const [part] = first.manifest.parts;
  expect(gets.filter((key) => key === part?.key)).toHaveLength(2);
});

it("neither reads nor writes a passage where nothing has changed, and answers the live generation at its new revision", async () => {
  const scratch = await folderOfTest();
  const blobs = createFolderBlobStore({ folder: join(scratch, "blobs") });
  const first = await collectHere({ blobs, source, input: { generation: "g1" }, context: { scratch } });
  const state = { revision: "r2", ref: "main", location: "" };
  const again = await collectHere({
    blobs,
    source,
    input: { generation: "g2", live: "g1", state },
    context: { scratch },
  });
  expect(again.manifest).toEqual({ ...first.manifest, revision: "r2", ref: "main" });
  expect(await Array.fromAsync(blobs.list("generations/g2/"))).toEqual([]);
});

it("gives the result of a run from scratch where the last page has changed, also after an attempt that was interrupted before it", async () => {
  const scratch = await folderOfTest();
  const blobs = createFolderBlobStore({ folder: join(scratch, "blobs") });
  await collectHere({ blobs, source, input: { generation: "g1" }, context: { scratch } });
  let isKilled = true;
  const changed: Source = {
    ...source,
    async *read(...input) {
      for await (const item of source.read(...input)) {
        if (item.page.key !== "p39.md") yield item;
        else if (isKilled) throw new Error("killed");
      }
      const page = { key: "p39.md", url: "https://example.com/p39.md", mediaType: "text/markdown", fingerprint: "new" };
      yield { type: "page", page, bytes: Buffer.from("# Page\n\n```js\nchanged();\n```\n") };
    },
  };
  const input = { generation: "g2", live: "g1" };
  await expect(collectHere({ blobs, source: changed, input, context: { scratch } })).rejects.toThrow("killed");
  expect(await Array.fromAsync(blobs.list("generations/g2/"))).toEqual([]);
  isKilled = false;
  const { manifest } = await collectHere({ blobs, source: changed, input, context: { scratch } });
  const whole = await collectHere({ blobs, source: changed, input: { generation: "g3" }, context: { scratch } });
  expect(manifest.pages).toEqual(whole.manifest.pages);
  expect(manifest.contentHash).toBe(whole.manifest.contentHash);
});

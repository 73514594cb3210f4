import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openCheckpoint } from "../../activities/collect.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import type { BlobStore, Source } from "../../domain/ports.ts";
import { collectHere } from "./collecting.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** A source that finds one more page at each attempt, and needs three. */
function source(found: string[][]): Source {
  return {
    kind: "git",
    resolve: () => Promise.reject(new Error("It is not resolved here.")),
    async *read(_, __, { checkpoint, known }) {
      const saved = await checkpoint.load();
      const pages = saved.flatMap((bytes) => JSON.parse(Buffer.from(bytes).toString()) as string[]);
      found.push([...pages]);
      await checkpoint.save(Buffer.from(JSON.stringify(pages)), { whole: true });
      pages.push(`p${pages.length}.md`);
      await checkpoint.save(Buffer.from(JSON.stringify(pages.slice(-1))), { whole: false });
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
  expect(found.map(({ length }) => length)).toEqual([0, 1, 2]);
  expect(manifest.pages.map(({ path }) => path)).toEqual(["p0.md", "p1.md", "p2.md"]);
  const keys = await Array.fromAsync(blobs.list("generations/g1/"));
  expect(keys.filter((key) => key.includes("checkpoint"))).toEqual([]);
});

it("has what the last attempt saved, in its order, however the attempts before it ended", async () => {
  const blobs = await emptyStore();
  const first = await attemptWith(blobs);
  await expect(first.save("too early", false)).rejects.toMatchObject({ code: "internal_error" });
  await first.save("a", true);
  for (let number = 0; number < 12; number += 1) await first.save(`a${number}`, false);
  const second = await attemptWith(blobs);
  expect(second.found).toEqual(["a", ...Array.from({ length: 12 }, (_, number) => `a${number}`)]);
  // One that saved nothing changes nothing.
  expect((await attemptWith(blobs)).found).toHaveLength(13);
  await second.save("b", true);
  // It was given up, and goes on all the same.
  await first.save("late", false);
  await second.save("b0", false);
  expect((await attemptWith(blobs)).found).toEqual(["b", "b0"]);
  await second.save("c", true);
  expect((await attemptWith(blobs)).found).toEqual(["c"]);
});

it("has what was saved up to a part that cannot be read", async () => {
  const blobs = await emptyStore();
  const attempt = await attemptWith(blobs);
  await attempt.save("a", true);
  for (const text of ["b", "c"]) await attempt.save(text, false);
  const [, second = ""] = (await Array.fromAsync(blobs.list("generations/g1/"))).toSorted();
  await blobs.put(second, Buffer.from("damaged"));
  expect((await attemptWith(blobs)).found).toEqual(["a"]);
});

async function emptyStore() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return createFolderBlobStore({ folder: folder.path });
}

/** An attempt, and what it found of earlier ones. */
async function attemptWith(blobs: BlobStore) {
  const checkpoint = openCheckpoint(blobs, "g1");
  const found = (await checkpoint.load()).map((bytes) => Buffer.from(bytes).toString());
  return { found, save: (text: string, whole: boolean) => checkpoint.save(Buffer.from(text), { whole }) };
}

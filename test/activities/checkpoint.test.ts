import { expect, it } from "vitest";
import { openCheckpoint } from "../../activities/collect.ts";
import type { BlobStore, Source } from "../../domain/ports.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

/** A source that reads one more page with each attempt, and succeeds with the third. */
function source(loaded: string[][]): Source {
  return {
    kind: "git",
    resolve: neverResolved,
    async *read(_, __, { checkpoint, known }) {
      const saved = await checkpoint.load();
      const pages = saved.flatMap((bytes) => JSON.parse(Buffer.from(bytes).toString()) as string[]);
      loaded.push([...pages]);
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

it("a long read resumes where its last attempt ended, and removes its checkpoints", async () => {
  const blobs = await blobsOfTest();
  const loaded: string[][] = [];
  const scratch = await folderOfTest();
  const attempt = () =>
    collectHere({ blobs, source: source(loaded), input: { generation: "g1" }, context: { scratch } });
  await expect(attempt()).rejects.toThrow("The attempt is cut off.");
  await expect(attempt()).rejects.toThrow("The attempt is cut off.");
  const { manifest } = await attempt();
  expect(loaded.map(({ length }) => length)).toEqual([0, 1, 2]);
  expect(manifest.pages.map(({ path }) => path)).toEqual(["p0.md", "p1.md", "p2.md"]);
  const keys = await Array.fromAsync(blobs.list("generations/g1/"));
  expect(keys.filter((key) => key.includes("checkpoint"))).toEqual([]);
});

it("loads what the last attempt saved, in order, however earlier attempts ended", async () => {
  const blobs = await blobsOfTest();
  const first = await attemptWith(blobs);
  await expect(first.save("too early", false)).rejects.toMatchObject({ code: "internal_error" });
  await first.save("a", true);
  for (let number = 0; number < 12; number += 1) await first.save(`a${number}`, false);
  const second = await attemptWith(blobs);
  expect(second.loaded).toEqual(["a", ...Array.from({ length: 12 }, (_, number) => `a${number}`)]);
  // An attempt that saves nothing changes nothing.
  expect((await attemptWith(blobs)).loaded).toHaveLength(13);
  await second.save("b", true);
  // The abandoned attempt still writes.
  await first.save("late", false);
  await second.save("b0", false);
  expect((await attemptWith(blobs)).loaded).toEqual(["b", "b0"]);
  await second.save("c", true);
  expect((await attemptWith(blobs)).loaded).toEqual(["c"]);
});

it("loads what was saved before a part that cannot be read", async () => {
  const blobs = await blobsOfTest();
  const attempt = await attemptWith(blobs);
  await attempt.save("a", true);
  for (const text of ["b", "c"]) await attempt.save(text, false);
  const [, second = ""] = (await Array.fromAsync(blobs.list("generations/g1/"))).toSorted();
  await blobs.put(second, Buffer.from("damaged"));
  expect((await attemptWith(blobs)).loaded).toEqual(["a"]);
});

/** An attempt, and what it loaded of earlier attempts. */
async function attemptWith(blobs: BlobStore) {
  const checkpoint = openCheckpoint(blobs, "g1");
  const loaded = (await checkpoint.load()).map((bytes) => Buffer.from(bytes).toString());
  return { loaded, save: (text: string, whole: boolean) => checkpoint.save(Buffer.from(text), { whole }) };
}

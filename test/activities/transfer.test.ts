import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { manifestOf, writeManifest } from "../../activities/parts.ts";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../blobs/folder.ts";
import type { Manifest } from "../../domain/snippet.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** An export that the version before llms.txt wrote: an include, a skipped page, settings of the library's own. */
const before = readFileSync(join(import.meta.dirname, "../fixtures/exports/format-1.ndjson"), "utf8")
  .trim()
  .split("\n");

async function blobsOfTest() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return createFolderBlobStore({ folder: join(folder.path, "blobs") });
}

async function* linesOf(lines: readonly string[]) {
  yield* lines;
}

it("takes in what an older version exported, and exports the same snippets", async () => {
  const blobs = await blobsOfTest();
  const manifest = await importGeneration(blobs, linesOf(before), "g1");
  const exported = JSON.parse(before[0] ?? "") as Manifest;
  const { title, revision, contentHash, counts, settings, source } = exported;
  expect(manifest).toMatchObject({ title, revision, contentHash, counts, settings, source, generation: "g1" });
  const lines = await Array.fromAsync(exportGeneration(blobs, "g1"));
  expect(lines.slice(1)).toEqual(before.slice(1));
});

it.each([
  [{ format: 2 }, "The export has format 2, and this version of Lectern reads format 1. Use a newer version."],
  [
    { source: { kind: "website", url: "https://example.com" } },
    'The export is of a source of kind "website", which this version of Lectern does not know. Use a newer version.',
  ],
])("refuses the export of a newer version: %j", async (changes, message) => {
  const blobs = await blobsOfTest();
  const lines = [JSON.stringify({ ...(JSON.parse(before[0] ?? "") as Manifest), ...changes }), ...before.slice(1)];
  await expect(importGeneration(blobs, linesOf(lines), "g1")).rejects.toMatchObject({
    code: "format_unknown",
    message,
  });
  expect(await Array.fromAsync(blobs.list("generations/"))).toEqual([]);
});

it.each([
  ["a kind without its fields", { source: { kind: "llmstxt" } }],
  ["no kind", { source: {} }],
  ["an address that is none", { source: { kind: "llmstxt", url: "javascript:alert(1)", otherHosts: false } }],
])("refuses an export whose source has %s", async (_, changes) => {
  const blobs = await blobsOfTest();
  const lines = [JSON.stringify({ ...(JSON.parse(before[0] ?? "") as Manifest), ...changes }), ...before.slice(1)];
  await expect(importGeneration(blobs, linesOf(lines), "g1")).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringContaining("Line 1 is not a manifest") as unknown,
  });
});

it("refuses the manifest of a newer version, which is no damage", async () => {
  const blobs = await blobsOfTest();
  const manifest = await importGeneration(blobs, linesOf(before), "g1");
  await writeManifest(blobs, { ...manifest, format: 2 } as unknown as Manifest);
  await expect(manifestOf(blobs, "g1")).rejects.toMatchObject({ code: "format_unknown" });
});

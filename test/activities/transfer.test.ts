import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { manifestOf, writeManifest } from "../../activities/parts.ts";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../blobs/folder.ts";
import type { Manifest } from "../../domain/snippet.ts";
import { uploadKey } from "../../domain/uploads.ts";
import { sampleLibrary } from "../contracts/catalog-samples.ts";
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
  const { manifest } = await importGeneration(blobs, linesOf(before), "g1");
  const exported = JSON.parse(before[0] ?? "") as Manifest;
  const { title, revision, contentHash, counts, settings, source } = exported;
  expect(manifest).toMatchObject({ title, revision, contentHash, counts, settings, source, generation: "g1" });
  const lines = await Array.fromAsync(exportGeneration(blobs, "g1"));
  expect(lines.slice(1)).toEqual(before.slice(1));
});

it("exports nothing of the library's credential", async () => {
  const blobs = await blobsOfTest();
  await importGeneration(blobs, linesOf(before), "g1");
  const lines = await Array.fromAsync(exportGeneration(blobs, "g1", sampleLibrary("a", { credential: "c-of-a" })));
  expect(lines[0]).toContain('"/Acme/Widgets"');
  expect(lines.join("\n")).not.toMatch(/c-of-a|credential/);
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
  const { manifest } = await importGeneration(blobs, linesOf(before), "g1");
  await writeManifest(blobs, { ...manifest, format: 2 } as unknown as Manifest);
  await expect(manifestOf(blobs, "g1")).rejects.toMatchObject({ code: "format_unknown" });
});

it("carries an uploaded file, under an id of the importer's own", async () => {
  const blobs = await blobsOfTest();
  const file = randomBytes(100_000);
  await importGeneration(blobs, linesOf(before), "g1");
  await blobs.put(uploadKey("up"), file);
  const { id, teamspace } = (JSON.parse(before[0] ?? "") as Manifest).library;
  const owner = { id, teamspace, source: (await manifestOf(blobs, "g1")).source, upload: "up" };
  const lines = await Array.fromAsync(exportGeneration(blobs, "g1", owner));
  const other = await blobsOfTest();
  const { manifest, upload } = await importGeneration(other, linesOf(lines), "g2");
  expect(manifest.counts).toEqual((JSON.parse(before[0] ?? "") as Manifest).counts);
  expect(upload).toBe("g2");
  expect(file.equals((await other.get(uploadKey("g2"))) ?? Buffer.of())).toBe(true);

  for (const broken of ['{"upload":"***"}', '{"upload":7}'])
    await expect(
      importGeneration(other, linesOf([lines[0] ?? "", broken, ...lines.slice(2)]), "g3"),
    ).rejects.toMatchObject({ code: "validation_error", message: expect.stringContaining("Line 2") as unknown });
  // A file whose snippets are not whole leaves nothing either.
  await expect(importGeneration(other, linesOf(lines.slice(0, -1)), "g4")).rejects.toMatchObject({
    code: "validation_error",
  });
  expect(await Array.fromAsync(other.list("uploads/"))).toEqual([uploadKey("g2")]);
});

it("says what to do where the uploaded file is lost", async () => {
  const blobs = await blobsOfTest();
  await importGeneration(blobs, linesOf(before), "g1");
  const { library, source } = await manifestOf(blobs, "g1");
  await expect(
    Array.fromAsync(exportGeneration(blobs, "g1", { ...library, source, upload: "lost" })),
  ).rejects.toMatchObject({ code: "source_not_found", message: expect.stringContaining("force=true") as unknown });
});

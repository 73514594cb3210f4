import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { damageOf } from "../../activities/damage.ts";
import { readFindings } from "../../activities/findings.ts";
import { createPartWriter, readPart, writeManifest } from "../../activities/parts.ts";
import { reindex } from "../../activities/reindex.ts";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import { createSecrets } from "../../cli/secrets.ts";
import { rollbackLibrary } from "../../domain/operating.ts";
import { createPolicies } from "../../domain/policies.ts";
import { readPassage, type Passage } from "../../domain/passage.ts";
import type { Manifest } from "../../domain/generation.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { sampleGeneration, sampleRun } from "../contracts/catalog-samples.ts";
import { admin } from "../contracts/healing.ts";
import { ask } from "../contracts/passage-index-asking.ts";
import { prosePassage } from "../contracts/passage-samples.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { figures, setup } from "./sweep-setup.ts";
import { attack, before, exportedAgain, forged, linesOf, summed } from "./transfer-setup.ts";

it("imports the export of an older version, as passages", async () => {
  const blobs = await blobsOfTest();
  const { manifest } = await importGeneration(blobs, linesOf(before), "g1");
  const exported = JSON.parse(before[0] ?? "") as Manifest;
  const { title, revision, counts, settings, source } = exported;
  // Format 2 also counts passages, and counts descriptions of code as prose.
  const own = { ...counts, passages: 6, code: 4, info: 5 };
  expect(manifest).toMatchObject({ format: 2, title, revision, counts: own, settings, source, generation: "g1" });
  const [, ...lines] = await Array.fromAsync(exportGeneration(blobs, "g1"));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    before.slice(1).map((line) => readPassage(line) as unknown),
  );
});

it.each([1, 2])("refuses an export of format %i of which a word was changed", async (format) => {
  const lines = format === 1 ? before : await exportedAgain();
  const changed = lines.map((line, at) => (at === 2 ? line.replace("make();", "made();") : line));
  await expect(importGeneration(await blobsOfTest(), linesOf(changed), "g1")).rejects.toMatchObject({
    code: "validation_error",
    message: "The 6 passages in the file do not match the manifest's checksum. Export the library again.",
  });
});

it.each([
  ["title", { title: attack }],
  [
    "description",
    { kind: "code", description: attack, codes: [{ language: "js", code: "make();" }], content: undefined },
  ],
  ["prose", { content: attack }],
])("screens imports of format 1 too: a forged %s", async (_, change) => {
  const blobs = await blobsOfTest();
  const lines = await summed(await forged(() => change, before));
  const { manifest } = await importGeneration(blobs, linesOf(lines), "g1");
  expect(manifest.counts.quarantined).toBe(1);
});

it("reads, exports and loads a generation that an older version has left, as it is", async () => {
  const blobs = await blobsOfTest();
  const [first = "", ...passages] = before;
  const writer = createPartWriter(blobs, "old", "a1");
  const [held = "", ...served] = passages.map((line) => `${line}\n`);
  const flagged = held.replace(/\}\n$/, ',"findings":["override"],"flags":["quarantined"]}\n');
  const page = { path: "README.md", url: "https://git.example.com/README.md", outcome: "indexed" } as const;
  await writer.write(page, Buffer.from([flagged, ...served].join("")), passages.length, 1);
  const { parts } = await writer.close();
  await writeManifest(blobs, { ...(JSON.parse(first) as Manifest), generation: "old", parts });
  expect(await readFindings(blobs, "old")).toMatchObject([{ passage: { blocks: [{ type: "prose" }] } }]);
  const lines = await Array.fromAsync(exportGeneration(blobs, "old"));
  expect(lines.slice(1)).toEqual([flagged.trimEnd(), ...passages.slice(1)]);

  const index = createSqlitePassageIndex({ folder: await folderOfTest() });
  onTestFinished(() => index.close());
  const content = parts.map((part) => readPart(blobs, part));
  const control = { signal: new AbortController().signal, report: () => undefined, language: "" };
  expect(await index.load("old", Readable.from(await Promise.all(content)), control)).toBe(5);
});

describe("a live generation of format 1", () => {
  const { blocks: _, ...place } = prosePassage("s2", "");
  const codes = [{ language: "ts", code: "cache()" }];
  const lines = [
    { ...place, kind: "info", description: "", codes: [], content: "Caches keep answers." },
    { ...place, id: "s1", kind: "code", description: "", codes },
    { ...place, id: "s3", kind: "code", description: "", codes, flags: ["duplicate"] },
  ];

  it("is loaded into an index that lacks it, answered from, and rolled back to", async () => {
    const { published, ports, engine, passages, catalog, blobs, store, load } = await setup();
    const old = await published("a", { loaded: false, stored: { format: 1, lines } });
    await engine.open();
    expect(await reindex(ports)).toMatchObject({ live: 1, restored: 1, lost: 0, problems: [] });
    await engine.idle();
    expect(await reindex(ports)).toMatchObject({ live: 1, restored: 0 });
    const answer = async (): Promise<readonly Passage[]> => {
      const [generation] = await catalog.generations.live();
      const { candidates, read } = await ask(passages, generation?.id ?? "", "caches");
      return read(candidates.map(({ id }) => id).toSorted());
    };
    expect(await answer()).toMatchObject([
      { id: "s1", blocks: [{ type: "code", codes }] },
      { id: "s2", blocks: [{ type: "prose", markdown: "Caches keep answers." }] },
    ]);

    await catalog.runs.open("a", "", sampleRun("a-2"), Date.now());
    await store("a-2");
    await catalog.generations.stage(sampleGeneration("a-2", "a", 2, { counts: figures }));
    await load("a-2");
    await catalog.generations.publish({ runId: "a-2", generation: "a-2", live: old }, Date.now());
    await catalog.runs.close("a-2", { outcome: "published", revision: "rev-2" }, Date.now());
    expect(await catalog.generations.live()).toMatchObject([{ id: "a-2" }]);
    const operating = {
      ...ports,
      policies: createPolicies(catalog.teamspaces, Date.now),
      secrets: createSecrets([{ id: "test", key: Buffer.alloc(32, 7) }]),
      checkToken: async () => undefined,
      newId: () => "new",
      damageOf: (generation: string) => damageOf(blobs, generation),
    };
    expect(await rollbackLibrary(operating, admin, "/a/a")).toMatchObject({ generation: old });
    expect(await answer()).toHaveLength(2);
  });
});

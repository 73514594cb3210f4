import { join } from "node:path";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { backUp, type BackupPorts } from "../../activities/backup.ts";
import { pruneBackups } from "../../activities/backup-pruning.ts";
import { listBackups, readBackup, savedRows } from "../../activities/backup-reading.ts";
import { createPartWriter, generationPrefix, writeManifest } from "../../activities/parts.ts";
import { readBlobs, requireNoOthers } from "../../activities/restore.ts";
import type { CatalogRow, CatalogSnapshot } from "../../domain/backup.ts";
import type { Manifest } from "../../domain/generation.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { folderOfTest } from "../support/of-test.ts";

const day = 86_400_000;

/** A store with generations and an upload, and a place for backups. `rows` are those of the next snapshot. */
async function setup() {
  const folder = await folderOfTest();
  const blobs = createFolderBlobStore({ folder: join(folder, "blobs") });
  const place = createFolderBlobStore({ folder: join(folder, "place") });
  const rows: Record<string, CatalogRow[]> = { libraries: [], generations: [] };
  let time = Date.UTC(2026, 10, 21);
  const reads: string[] = [];
  const counting: BlobStore = { ...blobs, get: (key) => (reads.push(key), blobs.get(key)) };
  const ports: BackupPorts = {
    withSnapshot: (work) =>
      work({
        at: time,
        schema: ["0001"],
        tables: Object.keys(rows),
        rows: async function* (table) {
          yield* rows[table] ?? [];
        },
      } satisfies CatalogSnapshot),
    blobs: counting,
    place,
    keys: "one:secret",
    version: "1.0.0",
    now: () => (time += 1000),
  };
  return {
    folder,
    blobs,
    place,
    rows,
    reads,
    ports,
    passDay: () => void (time += day),
    now: () => time,
    async addGeneration(id: string) {
      const writer = createPartWriter(blobs, id, "a1");
      for (const page of ["one", "two"]) {
        await writer.write(
          { path: page, url: page, outcome: "indexed" },
          Buffer.from(`{"page":"${page} of ${id}"}\n`),
          1,
        );
        await writer.flush();
      }
      const { parts } = await writer.close();
      await writeManifest(blobs, { generation: id, parts } as unknown as Manifest);
      rows["generations"]?.push({ id });
      return parts.map(({ key }) => key);
    },
  };
}

const filesIn = async (folder: string): Promise<string[]> => (await readdir(folder, { recursive: true })).sort();

/** The blobs that a restore writes. */
async function restored(place: BlobStore): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  await readBlobs(place, await readBackup(place), {
    take: async (key, bytes) => void found.set(key, Buffer.from(bytes).toString("base64")),
  });
  return found;
}

async function stored(blobs: BlobStore): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const prefix of ["generations/", "uploads/"])
    for await (const key of blobs.list(prefix))
      found.set(key, Buffer.from((await blobs.get(key)) ?? []).toString("base64"));
  return found;
}

describe("a backup", () => {
  it("has every blob that the catalog names, and the rows", async () => {
    const { blobs, place, rows, ports, addGeneration } = await setup();
    await addGeneration("g1");
    await blobs.put("uploads/u1/file", Buffer.from("a document"));
    rows["libraries"]?.push({ uid: "l1", upload: "u1" }, { uid: "l2", upload: null });
    const { record } = await backUp(ports);
    expect(record).toMatchObject({ generations: 1, blobs: 6, damaged: {} });
    expect(await restored(place)).toEqual(await stored(blobs));
    expect(await Array.fromAsync(savedRows(place, record, "libraries"))).toEqual(rows["libraries"]);
  });

  it("reads and writes only what an earlier one lacks", async () => {
    const { blobs, place, reads, ports, addGeneration } = await setup();
    await addGeneration("g1");
    const first = await backUp(ports);
    expect(first.written.blobs).toBe(5);
    await addGeneration("g2");
    reads.length = 0;
    const second = await backUp(ports);
    expect(second.record.blobs).toBe(10);
    expect(second.written.blobs).toBe(5);
    expect(reads.every((key) => key.startsWith("generations/g2/"))).toBe(true);
    expect(await restored(place)).toEqual(await stored(blobs));
  });

  it("takes another snapshot when a generation is removed meanwhile", async () => {
    const { blobs, place, rows, ports, addGeneration } = await setup();
    await addGeneration("g1");
    await addGeneration("g2");
    let snapshots = 0;
    const { record } = await backUp({
      ...ports,
      async withSnapshot(work) {
        const result = await ports.withSnapshot(work);
        snapshots += 1;
        // A sweep between the catalog and the blobs; the next snapshot does not name it.
        if (snapshots === 1) {
          await blobs.removeAll("generations/g1/");
          rows["generations"]?.shift();
          await addGeneration("g3");
        }
        return result;
      },
    });
    expect(snapshots).toBe(2);
    expect(record).toMatchObject({ generations: 2, damaged: {} });
    expect([...(await restored(place)).keys()].some((key) => key.includes("/g3/"))).toBe(true);
  });

  it("is none if generations vanish in every pass", async () => {
    const { blobs, place, rows, ports, addGeneration } = await setup();
    let number = 0;
    const failing = backUp({
      ...ports,
      async withSnapshot(work) {
        rows["generations"] = [];
        await addGeneration(`g${(number += 1)}`);
        const result = await ports.withSnapshot(work);
        await blobs.removeAll(generationPrefix(`g${number}`));
        return result;
      },
    });
    await expect(failing).rejects.toMatchObject({ code: "service_unavailable" });
    expect((await listBackups(place)).finished).toEqual([]);
    await expect(readBackup(place)).rejects.toThrow("There is no finished backup");
  });

  it("names a damaged generation, and saves it again once it is healed", async () => {
    const { folder, blobs, place, ports, addGeneration } = await setup();
    const [part = ""] = await addGeneration("g1");
    await addGeneration("g2");
    const whole = await readFile(join(folder, "blobs", part));
    await writeFile(join(folder, "blobs", part), "damaged");
    const { record } = await backUp(ports);
    expect(record.damaged).toEqual({ "generations/g1/": `The blob ${part} is damaged.` });
    expect([...(await restored(place)).keys()].every((key) => key.includes("/g2/"))).toBe(true);
    await writeFile(join(folder, "blobs", part), whole);
    expect((await backUp(ports)).record.damaged).toEqual({});
    expect(await restored(place)).toEqual(await stored(blobs));
  });

  it("keeps the intact copy of a blob that was damaged later", async () => {
    const { folder, place, ports, addGeneration } = await setup();
    const [part = ""] = await addGeneration("g1");
    await backUp(ports);
    const before = await restored(place);
    await writeFile(join(folder, "blobs", part), "damaged");
    await backUp(ports);
    expect(await restored(place)).toEqual(before);
  });

  it("that was interrupted is not one, and the next one goes on with its blobs", async () => {
    const { place, ports, addGeneration } = await setup();
    await addGeneration("g1");
    await addGeneration("g2");
    let left = 4;
    const failing: BlobStore = {
      ...place,
      put: async (key, bytes) => {
        if (key.startsWith("blobs/") && (left -= 1) < 0) throw new Error("killed");
        await place.put(key, bytes);
      },
    };
    await expect(backUp({ ...ports, place: failing })).rejects.toThrow("killed");
    expect(await listBackups(place)).toMatchObject({ finished: [], unfinished: [expect.any(String)] });
    const { record, written } = await backUp(ports);
    expect(record.blobs).toBe(10);
    expect(written.blobs).toBe(6);
  });

  it.each([
    ["a blob", /^blobs\/.*snippets/],
    ["a table", /catalog\/generations/],
    ["a list", /\/1\/blobs-/],
  ])("with %s that was changed or removed is refused, and named", async (_, which) => {
    const { folder, place, ports, addGeneration } = await setup();
    await addGeneration("g1");
    const { record } = await backUp(ports);
    const name = (await filesIn(join(folder, "place"))).find((file) => which.test(file) && /\.\w+$/.test(file)) ?? "";
    const reading = async (): Promise<void> => {
      await readBlobs(place, record, { take: async () => {} });
      await Array.fromAsync(savedRows(place, record, "generations"));
    };
    await reading();
    const file = join(folder, "place", name);
    const bytes = await readFile(file);
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
    await writeFile(file, bytes);
    await expect(reading()).rejects.toThrow(`${name} is damaged`);
    await rm(file);
    await expect(reading()).rejects.toThrow(`${name} is missing`);
  });

  it("is not restored over other libraries, but over what an interrupted restore wrote", async () => {
    const { blobs, place, ports, addGeneration } = await setup();
    await addGeneration("g1");
    const { record } = await backUp(ports);
    await requireNoOthers(blobs, place, record);
    await addGeneration("g2");
    await expect(requireNoOthers(blobs, place, record)).rejects.toThrow("generations/g2/");
  });
});

describe("pruning", () => {
  it("removes older backups, and what only they and interrupted ones have", async () => {
    const { blobs, place, rows, ports, passDay, now, addGeneration } = await setup();
    await addGeneration("g1");
    await backUp(ports);
    rows["generations"] = [];
    await addGeneration("g2");
    await backUp(ports);
    await place.put("backups/2026-11-20T00-00-00.000Z/started", Buffer.from("1"));
    await place.put("blobs/generations/g0/part.1.0", Buffer.from("x"));
    passDay();
    const { record } = await backUp(ports);
    const pruned = await pruneBackups(place, 2, now());
    expect(pruned).toMatchObject({ backups: expect.arrayContaining(["2026-11-20T00-00-00.000Z"]), prefixes: 2 });
    expect((await listBackups(place)).finished).toHaveLength(2);
    expect((await filesOf(place, "blobs/")).every((key) => key.startsWith("blobs/generations/g2/"))).toBe(true);
    await blobs.removeAll("generations/g1/");
    expect(await restored(place)).toEqual(await stored(blobs));
    expect((await readBackup(place)).id).toBe(record.id);
  });

  it("waits while another backup is being made", async () => {
    const { place, ports, now, addGeneration } = await setup();
    await addGeneration("g1");
    for (let round = 0; round < 3; round += 1) await backUp(ports);
    const running = new Date(now() - 60_000).toISOString().replaceAll(":", "-");
    await place.put(`backups/${running}/started`, Buffer.from("1"));
    expect(await pruneBackups(place, 1, now())).toEqual({ backups: [], prefixes: 0, waitsFor: running });
    expect((await listBackups(place)).finished).toHaveLength(3);
  });
});

async function filesOf(store: BlobStore, prefix: string): Promise<readonly string[]> {
  return Array.fromAsync(store.list(prefix));
}

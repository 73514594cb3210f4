import { copyFile, open, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";
import { folderOfTest } from "../support/of-test.ts";
import { migrationsFrom, schemaBefore } from "../support/older-schema.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const change = (file: string, statements: string): void => {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
};
const migrationsOf = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("select count(*) as n from kysely_migration").get()?.["n"]);
  } finally {
    database.close();
  }
};

/** The first migration that `makeOld` undoes, and how many it undoes. */
const first = "0011";
const undone = migrationsFrom(first).length;

/** Undoes the last migrations, as if an older version had written the file. */
const makeOld = (file: string): void => change(file, schemaBefore(first));

/** A catalog with some libraries, closed. */
async function filled(folder: string, libraries = 3): Promise<string> {
  const file = join(folder, "catalog.sqlite");
  const catalog = await openSqliteCatalog({ file });
  for (let at = 0; at < libraries; at += 1) await addLibrary(catalog, `l${at}`, { id: `/acme/l${at}` });
  await catalog.close();
  return file;
}

describe("a catalog that is to be migrated", () => {
  it("is copied before the migration, readable by its owner only, in place of the last copy", async () => {
    const folder = await folderOfTest();
    const file = await filled(folder);
    const now = migrationsOf(file);
    const copy = join(folder, "catalog.before-upgrade.sqlite");
    const copied: string[] = [];
    const start = async (): Promise<void> =>
      (await openSqliteCatalog({ file, onCopied: (path) => copied.push(path) })).close();

    makeOld(file);
    await start();
    expect(copied).toEqual([copy]);
    expect([migrationsOf(file), migrationsOf(copy)]).toEqual([now, now - undone]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes("before"))).toEqual([
      "catalog.before-upgrade.sqlite",
    ]);

    // No migration is due, and the copy stays.
    await start();
    expect(copied).toHaveLength(1);
    const last = await openSqliteCatalog({ file });
    await addLibrary(last, "later", { id: "/acme/later" });
    await last.close();
    makeOld(file);
    await start();
    expect(copied).toEqual([copy, copy]);

    // The copy can take the place of the file.
    await rename(copy, file);
    expect(migrationsOf(file)).toBe(now - undone);
    const restored = await openSqliteCatalog({ file });
    expect((await restored.libraries.list({ teamspaces: [""], limit: 10 })).total).toBe(4);
    await restored.close();
  });

  it("is not copied if it is new", async () => {
    const folder = await folderOfTest();
    await filled(folder, 0);
    expect(await readdir(folder)).toEqual(["catalog.sqlite"]);
  });

  it("stays as it is if the disk has no room for the copy, and says so", async () => {
    const disk = await mountSmallDisk(4);
    if (disk === undefined) return;
    await using _ = disk;
    const file = await filled(disk.path);
    const before = migrationsOf(file);
    makeOld(file);
    await disk.fill(150_000);
    await expect(openSqliteCatalog({ file })).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(
        /This version copies \S+catalog.sqlite before it changes it, which takes \d+ MB /,
      ) as string,
    });
    expect(migrationsOf(file)).toBe(before - undone);
    await disk.free();
    await (await openSqliteCatalog({ file })).close();
    expect(migrationsOf(file)).toBe(before);
  });
});

describe("a catalog that is damaged", () => {
  const overwrite = async (file: string, at: number, bytes: Uint8Array): Promise<void> => {
    const handle = await open(file, "r+");
    await handle.write(bytes, 0, bytes.length, at);
    await handle.close();
  };
  const noise = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 73 + 11) % 251);

  it.each<[string, (file: string, size: number) => Promise<void>]>([
    ["in its header", (file) => overwrite(file, 0, noise(64))],
    ["in the page size in its header", (file) => overwrite(file, 16, noise(2))],
    ["in the schema's page", (file) => overwrite(file, 100, noise(2000))],
    ["in a page in the middle", (file, size) => overwrite(file, Math.floor(size / 8192) * 4096, noise(4096))],
    [
      "in a page in the middle, by zeros",
      (file, size) => overwrite(file, Math.floor(size / 8192) * 4096, new Uint8Array(4096)),
    ],
    ["at its end, which is missing", (file, size) => truncate(file, Math.floor(size / 8192) * 4096)],
  ])("%s is refused with a message that says what to do", async (_, damage) => {
    const folder = await folderOfTest();
    const file = await filled(folder, 30);
    const kept = join(folder, "kept");
    await copyFile(file, kept);
    await damage(file, (await stat(file)).size);
    await expect(openSqliteCatalog({ file })).rejects.toMatchObject({
      name: "Failure",
      code: "internal_error",
      message: expect.stringMatching(
        /^The catalog \S+ is damaged, or is not a catalog \(.+\)\. Move it away, and restore it from a backup: /,
      ) as string,
    });
    await rename(kept, file);
    for (const end of ["-wal", "-shm"]) await rm(`${file}${end}`, { force: true });
    await (await openSqliteCatalog({ file })).close();
  });
});

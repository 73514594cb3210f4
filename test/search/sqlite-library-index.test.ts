import { mkdir, open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LibraryIndex } from "../../domain/ports.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { describeLibraryIndex, libraryEntry } from "../contracts/library-index.ts";
import { folderOfTest } from "../support/of-test.ts";

describeLibraryIndex("SQLite", async () => {
  const file = await temporaryFile();
  return { index: opened(file), reopen: async () => opened(file) };
});

it("empties a file of another format, so that announcing fills it again", async () => {
  const file = await temporaryFile();
  const first = createSqliteLibraryIndex({ file });
  await first.put(libraryEntry("/acme/widgets"));
  first.close();
  const db = new DatabaseSync(file);
  db.exec("UPDATE meta SET format = '0.0'");
  db.close();
  const again = opened(file);
  expect(await again.uids()).toEqual([]);
  expect(await again.isWhole()).toBe(false);
  await again.put(libraryEntry("/acme/widgets"));
  expect(await again.uids()).toEqual(["/acme/widgets"]);
});

const harms: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "no database": (file) => writeFile(file, "not a database ".repeat(1000)),
  "cut short": (file) => truncate(file, 10_000),
  zeros: async (file) => writeFile(file, new Uint8Array((await readFile(file)).length)),
  "zeros in its middle": (file) => overwrite(file, new Uint8Array(8192), 8192),
  "another schema": async (file) => {
    const db = new DatabaseSync(file);
    db.exec("DROP TABLE names; CREATE TABLE names(other)");
    db.close();
  },
  "a folder": async (file) => {
    await rm(file);
    await mkdir(file);
    await writeFile(join(file, "note"), "a user's");
  },
};

describe.each(Object.entries(harms))("a file that has become %s", (_, harm) => {
  const entries = Array.from({ length: 60 }, (_, at) => libraryEntry(`/acme/widget-${at}`));
  const search = async (index: LibraryIndex) => (await index.candidates([""], "widget-7", "", 10)).map(({ id }) => id);

  it("is recreated at the start, and answers no search until all entries are put again", async () => {
    const file = await temporaryFile();
    const first = createSqliteLibraryIndex({ file });
    for (const entry of entries) await first.put(entry);
    first.close();
    await harm(file);
    const lost: unknown[] = [];
    const index = opened(file, (cause) => lost.push(cause));
    expect(lost).toHaveLength(1);
    await expectRefilled(index);
    expect(await search(opened(file))).toContain("/acme/widget-7");
  });

  it("is recreated under an open index, which never answers wrongly", async () => {
    const file = await temporaryFile();
    const lost: unknown[] = [];
    const index = opened(file, (cause) => lost.push(cause));
    for (const entry of entries) await index.put(entry);
    expect(await search(index)).toContain("/acme/widget-7");
    await harm(file);
    await expect(search(index)).rejects.toMatchObject({ code: "index_rebuilding", details: { retryAfter: 5 } });
    expect(lost).toHaveLength(1);
    await expectRefilled(index);
  });

  async function expectRefilled(index: ReturnType<typeof opened>): Promise<void> {
    expect(await index.uids()).toEqual([]);
    expect(await index.isWhole()).toBe(false);
    for (const entry of entries) await index.put(entry);
    await expect(search(index)).rejects.toMatchObject({ code: "index_rebuilding" });
    await expect(index.entries(["/acme/widget-7"])).rejects.toMatchObject({ code: "index_rebuilding" });
    await index.complete();
    expect(await search(index)).toContain("/acme/widget-7");
  }
});

it("keeps the content of a folder that is in its place", async () => {
  const file = await temporaryFile();
  await mkdir(file, { recursive: true });
  await writeFile(join(file, "note"), "a user's");
  opened(file);
  const [moved = ""] = (await readdir(dirname(file))).filter((name) => name.endsWith(".old"));
  expect(await readFile(join(dirname(file), moved, "note"), "utf8")).toBe("a user's");
});

it("is incomplete if it is created when there are libraries already", async () => {
  const file = await temporaryFile();
  const index = createSqliteLibraryIndex({ file, isFirst: false });
  onTestFinished(() => index.close());
  expect(await index.isWhole()).toBe(false);
});

function opened(file: string, onLost: (cause: unknown) => void = () => {}) {
  const index = createSqliteLibraryIndex({ file, onLost });
  onTestFinished(() => index.close());
  return index;
}

async function overwrite(file: string, bytes: Uint8Array, offset: number): Promise<void> {
  await using handle = await open(file, "r+");
  await handle.write(bytes, 0, bytes.length, offset);
}

async function temporaryFile(): Promise<string> {
  return join(await folderOfTest(), "index", "libraries.sqlite");
}

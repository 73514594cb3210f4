import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { describeLibraryIndex, libraryEntry } from "../contracts/library-index.ts";

describeLibraryIndex("SQLite", async () => {
  const file = await temporaryFile();
  return { index: opened(file), reopen: async () => opened(file) };
});

it("empties a file of another format, so that announcing fills it again", async () => {
  const file = await temporaryFile();
  await opened(file).put(libraryEntry("/acme/widgets"));
  const db = new DatabaseSync(file);
  db.exec("UPDATE meta SET format = '0.0'");
  db.close();
  const again = opened(file);
  expect(await again.uids()).toEqual([]);
  await again.put(libraryEntry("/acme/widgets"));
  expect(await again.uids()).toEqual(["/acme/widgets"]);
});

it("says search_failed of a file that is no database", async () => {
  const file = await temporaryFile();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "not a database ".repeat(1000));
  expect(() => createSqliteLibraryIndex({ file })).toThrow(expect.objectContaining({ code: "search_failed" }));
});

it("shows one process what another one has put", async () => {
  const file = await temporaryFile();
  const [one, other] = [opened(file), opened(file)];
  await one.put(libraryEntry("/acme/widgets"));
  expect(await other.uids()).toEqual(["/acme/widgets"]);
  await other.remove("/acme/widgets");
  expect(await one.candidates([""], "widgets", "", 10)).toEqual([]);
});

function opened(file: string) {
  const index = createSqliteLibraryIndex({ file });
  onTestFinished(() => index.close());
  return index;
}

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-libraries-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "index", "libraries.sqlite");
}

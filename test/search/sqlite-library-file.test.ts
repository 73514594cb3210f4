import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { openLibraryFile } from "../../search/sqlite/library-file.ts";
import { libraryEntry } from "../contracts/library-index.ts";
import { runs } from "../support/endurance.ts";
import { folderOfTest } from "../support/of-test.ts";

/** A file with some entries, closed properly, and a copy of it as a killed process leaves it. */
async function files(): Promise<{ readonly closed: string; readonly killed: string }> {
  const folder = await folderOfTest();
  const [closed, killed] = [join(folder, "libraries.sqlite"), join(folder, "killed", "libraries.sqlite")];
  const index = createSqliteLibraryIndex({ file: closed });
  for (let at = 0; at < 100; at += 1) await index.put(libraryEntry(`/acme/widget-${at}`));
  openLibraryFile(killed, true).close();
  for (const ending of ["", "-wal"]) await copyFile(closed + ending, killed + ending);
  index.close();
  return { closed, killed };
}

it("opens after a proper close, and after a killed process", async () => {
  for (const file of Object.values(await files())) {
    const db = openLibraryFile(file, true);
    expect(db.prepare("SELECT count(*) AS count FROM entries").get()).toEqual({ count: 100 });
    db.close();
  }
});

it("refuses a properly closed file with a flipped bit, wherever it is", async () => {
  const { closed } = await files();
  const whole = await readFile(closed);
  const count = runs({ short: 60, long: 600 });
  for (let at = 0; at < count; at += 1) {
    const place = Math.floor((whole.length * (at + 0.5)) / count);
    await writeFile(closed, whole.with(place, (whole[place] ?? 0) ^ (1 << (at % 8))));
    expect(() => openLibraryFile(closed, true).close(), `bit at ${place}`).toThrow("It has another checksum.");
  }
  await writeFile(closed, whole);
  openLibraryFile(closed, true).close();
});

import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pino from "pino";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { openStores } from "../../cli/stores.ts";
import { loadConfig } from "../../cli/config.ts";
import { freshDatabase } from "./support/database.ts";

const superuser = inject("postgres");

describe.skipIf(superuser === null)("a database without a catalog", () => {
  it("gets none beside generations of a lost one, and gets one without them", async () => {
    const database = await freshDatabase(superuser ?? "");
    const folder = await mkdtemp(join(tmpdir(), "lectern-lost-"));
    onTestFinished(async () => {
      await database.drop();
      await rm(folder, { recursive: true });
    });
    const manifest = join(folder, "blobs", "generations", "0mwthz8xlf068287cc6e60d54d624", "manifest.json.zst");
    await mkdir(dirname(manifest), { recursive: true });
    await writeFile(manifest, "of a library");
    const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder });
    const open = () =>
      openStores(config, { dataFolder: folder, migrate: true, name: "test", log: pino({ level: "silent" }) });

    for (let start = 0; start < 2; start += 1)
      await expect(open()).rejects.toMatchObject({
        code: "internal_error",
        message: expect.stringMatching(
          /^The database of DATABASE_URL has no catalog, but there are passages /,
        ) as string,
      });
    expect(await readFile(manifest, "utf8")).toBe("of a library");

    await rm(dirname(manifest), { recursive: true });
    await (await open()).close();
    await mkdir(dirname(manifest), { recursive: true });
    await writeFile(manifest, "of a library");
    await (await open()).close();
  });
});

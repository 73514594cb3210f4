import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";
import { libraryEntry } from "../contracts/library-index.ts";
import { control } from "../contracts/passage-index-asking.ts";
import { codePassage, partsOf } from "../contracts/passage-samples.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const disk = await mountSmallDisk(8);
afterAll(() => disk?.[Symbol.asyncDispose]());

const noSpace = {
  name: "Failure",
  code: "service_unavailable",
  message: expect.stringMatching(/^No space /) as string,
};

/** Repeats, as SQLite first uses space that it has already allocated. */
async function repeated(work: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 1000; round += 1) await work(round);
}

describe.skipIf(disk === undefined)("the stores of one process on a full disk", () => {
  it("fail with a message about disk space, can still be read, and write again once there is space", async () => {
    if (disk === undefined) return;
    const passages = createSqlitePassageIndex({ folder: join(disk.path, "index") });
    const libraries = createSqliteLibraryIndex({ file: join(disk.path, "libraries.sqlite") });
    const blobs = createFolderBlobStore({ folder: join(disk.path, "blobs") });
    const catalog = await openSqliteCatalog({ file: join(disk.path, "catalog.sqlite") });
    try {
      await libraries.complete();
      const sample = Array.from({ length: 500 }, (_, at) => codePassage(`p${at}`, { code: `call(${at});` }));
      const load = (generation: string) => passages.load(generation, partsOf(sample), control());
      const write = async (round: string): Promise<void> => {
        expect(await load(round)).toBe(sample.length);
        await blobs.put(round, new Uint8Array(10));
        await addLibrary(catalog, round, { id: `/acme/${round}` });
        await libraries.put(libraryEntry(`/acme/${round}`));
      };
      const read = async (round: string): Promise<void> => {
        expect(await passages.count(round)).toBe(sample.length);
        expect(await blobs.get(round)).toEqual(Buffer.alloc(10));
        expect(await catalog.libraries.get(round)).toBeDefined();
        expect(await libraries.candidates([""], round, "", 10)).toHaveLength(1);
      };
      await write("before");
      await disk.fill();
      await expect(load("during")).rejects.toMatchObject(noSpace);
      await expect(blobs.put("during", new Uint8Array(10))).rejects.toMatchObject(noSpace);
      await expect(
        repeated((at) => addLibrary(catalog, `during-${at}`, { id: `/acme/during-${at}` })),
      ).rejects.toMatchObject(noSpace);
      await expect(repeated((at) => libraries.put(libraryEntry(`/more/${at}`)))).rejects.toMatchObject(noSpace);
      await read("before");
      await disk.free();
      await write("after");
      await read("after");
    } finally {
      await passages.close();
      libraries.close();
      await catalog.close();
    }
  });
});

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BlobStore, Catalog } from "../../domain/ports.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { openCopiedCatalog, openEmptyCatalog } from "./empty-catalog.ts";

/** A folder that is removed after the current test; its path has no symbolic links. */
export async function folderOfTest(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lectern-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty BlobStore in a folder of its own. */
export async function blobsOfTest(): Promise<BlobStore> {
  return createFolderBlobStore({ folder: join(await folderOfTest(), "blobs") });
}

/** A catalog in a folder, empty or with the content of another one's file, both of them gone behind the test that is running. */
export async function catalogOfTest(
  content?: Uint8Array,
): Promise<{ readonly catalog: Catalog; readonly folder: string }> {
  const folder = await folderOfTest();
  const file = join(folder, "catalog.sqlite");
  const catalog = await (content === undefined ? openEmptyCatalog(file) : openCopiedCatalog(file, content));
  onTestFinished(() => catalog.close());
  return { catalog, folder };
}

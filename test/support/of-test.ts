import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Catalog } from "../../domain/ports.ts";
import { openEmptyCatalog } from "./empty-catalog.ts";

/** A folder that is removed behind the test that is running; its path has no links in it. */
export async function folderOfTest(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lectern-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty catalog in a folder, both of them gone behind the test that is running. */
export async function catalogOfTest(): Promise<{ readonly catalog: Catalog; readonly folder: string }> {
  const folder = await folderOfTest();
  const catalog = await openEmptyCatalog(join(folder, "catalog.sqlite"));
  onTestFinished(() => catalog.close());
  return { catalog, folder };
}

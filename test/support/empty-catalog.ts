import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import type { Catalog } from "../../domain/ports.ts";
import { temporaryFolder } from "./lectern-process.ts";

let empty: Promise<Uint8Array> | undefined;

/** Opens a new catalog in this file. Its schema is copied, as the migrations take 40 ms. */
export async function openEmptyCatalog(file: string): Promise<Catalog> {
  return openCopiedCatalog(file, await (empty ??= makeEmpty()));
}

/** Writes a catalog's content to this file and opens it. */
export async function openCopiedCatalog(file: string, content: Uint8Array): Promise<Catalog> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o600 });
  return openSqliteCatalog({ file });
}

async function makeEmpty(): Promise<Uint8Array> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "catalog.sqlite");
  await (await openSqliteCatalog({ file })).close();
  return readFile(file);
}

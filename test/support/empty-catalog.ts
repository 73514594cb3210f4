import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import type { Catalog } from "../../domain/ports.ts";
import { temporaryFolder } from "./lectern-process.ts";

let empty: Promise<Uint8Array> | undefined;

/** Opens a new catalog in this file, as `openSqliteCatalog` does; its schema is made once for all, which is a second for 25 of them. */
export async function openEmptyCatalog(file: string): Promise<Catalog> {
  return openCopiedCatalog(file, await (empty ??= makeEmpty()));
}

/** Opens a catalog in this file that has the content of another one's. */
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

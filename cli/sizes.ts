import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseBlobUrl } from "../blobs/url.ts";
import type { Config } from "../config.ts";

/** What is kept on the disks of a process, in bytes, by what it is. */
interface Sizes {
  read(): Promise<Readonly<Record<string, number>>>;
}

/** Sizes are added up again at most so often, in milliseconds: a store of blobs may have a million files. */
const rereadAfter = 600_000;

/**
 * Adds up the catalog, the index and the blobs where they are files of this process; servers and buckets have figures of their own. An
 * older sum is answered while a new one is made.
 */
export function createSizes(
  { blobUrl, databaseUrl, meiliUrl }: Pick<Config, "blobUrl" | "databaseUrl" | "meiliUrl">,
  dataFolder: string | null,
  now: () => number,
): Sizes {
  const url = blobUrl === null ? null : parseBlobUrl(blobUrl);
  const parts: Record<string, readonly string[]> = {};
  if (url?.kind === "folder") parts["blobs"] = [url.folder];
  if (dataFolder !== null) {
    const files = (name: string): readonly string[] =>
      ["", "-wal", "-shm"].map((suffix) => join(dataFolder, `${name}${suffix}`));
    if (databaseUrl === null) parts["catalog"] = files("catalog.sqlite");
    if (meiliUrl === null) parts["index"] = [join(dataFolder, "index"), ...files("libraries.sqlite")];
    if (blobUrl === null) parts["blobs"] = [join(dataFolder, "blobs")];
  }
  let known: { readonly at: number; readonly sizes: Promise<Readonly<Record<string, number>>> } | undefined;
  return {
    async read() {
      if (known === undefined || now() - known.at > rereadAfter) {
        const before = known;
        const sizes = Promise.all(
          Object.entries(parts).map(async ([part, paths]) => [part, await sumOf(paths)] as const),
        ).then((entries): Readonly<Record<string, number>> => Object.fromEntries(entries));
        known = { at: now(), sizes };
        // What failed is added up again at the next scrape; the first one tells of it.
        sizes.catch(() => (known = before));
        if (before) return before.sizes;
      }
      return known.sizes;
    },
  };
}

async function sumOf(paths: readonly string[]): Promise<number> {
  let sum = 0;
  for (const path of paths) sum += await sizeOf(path);
  return sum;
}

/** Bytes of a file, or of all below a folder; what goes meanwhile has none. */
async function sizeOf(path: string): Promise<number> {
  try {
    const found = await lstat(path);
    if (!found.isDirectory()) return found.size;
    return await sumOf((await readdir(path)).map((name) => join(path, name)));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return 0;
    throw error;
  }
}

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseBlobUrl } from "../blobs/url.ts";
import type { Config } from "../config.ts";

/** What is kept, in bytes, by what it is: catalog, index, blobs. What cannot be found out is left out. */
interface Sizes {
  read(): Promise<Readonly<Record<string, number>>>;
}

/** What sizes are found out with. */
interface SizePorts {
  /** Where the parts are that servers keep; undefined for those that do not tell their size. */
  readonly servers: Readonly<Record<"catalog" | "index", (() => Promise<number>) | undefined>>;
  readonly now: () => number;
  /** Told of what cannot be found out. */
  readonly onProblem: (error: unknown) => void;
}

/** Sizes are found out again at most so often, in milliseconds: a store of blobs may have a million files. */
const rereadAfter = 600_000;

/**
 * Adds up the catalog, the index and the blobs where they are files of this process, and asks the servers that have them otherwise. A
 * bucket does not tell: listing all objects is all that it offers. An older size is answered while a new one is found out.
 */
export function createSizes(
  { blobUrl, databaseUrl, meiliUrl }: Pick<Config, "blobUrl" | "databaseUrl" | "meiliUrl">,
  dataFolder: string | null,
  ports: SizePorts,
): Sizes {
  const { servers } = ports;
  const url = blobUrl === null ? null : parseBlobUrl(blobUrl);
  const parts: Record<string, () => Promise<number>> = {};
  if (databaseUrl !== null && servers.catalog) parts["catalog"] = servers.catalog;
  if (meiliUrl !== null && servers.index) parts["index"] = servers.index;
  if (url?.kind === "folder") parts["blobs"] = () => sumOf([url.folder]);
  if (dataFolder !== null) {
    const files = (name: string): readonly string[] =>
      ["", "-wal", "-shm"].map((suffix) => join(dataFolder, `${name}${suffix}`));
    if (databaseUrl === null) parts["catalog"] = () => sumOf(files("catalog.sqlite"));
    if (meiliUrl === null) parts["index"] = () => sumOf([join(dataFolder, "index"), ...files("libraries.sqlite")]);
    if (blobUrl === null) parts["blobs"] = () => sumOf([join(dataFolder, "blobs")]);
  }
  const remembered = Object.entries(parts).map(([part, measure]) => [part, remember(measure, ports)] as const);
  return {
    async read() {
      const sizes = await Promise.all(remembered.map(async ([part, size]) => [part, await size()] as const));
      return Object.fromEntries(sizes.flatMap(([part, size]) => (size === undefined ? [] : [[part, size]])));
    },
  };
}

/** A size as it was measured last; undefined where that failed. */
function remember(
  measure: () => Promise<number>,
  { now, onProblem }: Pick<SizePorts, "now" | "onProblem">,
): () => Promise<number | undefined> {
  let known: number | undefined;
  let measuring: Promise<void> | undefined;
  let measuredAt = -Infinity;
  return async () => {
    if (now() - measuredAt > rereadAfter) {
      measuredAt = now();
      measuring = measure().then(
        (size) => void (known = size),
        (error: unknown) => {
          known = undefined;
          // At the next scrape it is tried again.
          measuredAt = -Infinity;
          onProblem(error);
        },
      );
    }
    if (known === undefined) await measuring;
    return known;
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

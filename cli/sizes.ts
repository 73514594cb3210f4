import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseBlobUrl } from "../stores/blobs/url.ts";
import type { Config } from "./config.ts";

/** Storage sizes in bytes: catalog, index, blobs; unknown ones are absent. */
interface Sizes {
  read(): Promise<Readonly<Record<string, number>>>;
}

/** The ports that measuring sizes needs. */
interface SizePorts {
  /** Parts on servers; undefined for those without a size. */
  readonly servers: Readonly<Record<"catalog" | "index", (() => Promise<number>) | undefined>>;
  readonly now: () => number;
  /** Called with errors. */
  readonly onProblem: (error: unknown) => void;
}

/** Minimum interval of measurements, in milliseconds, as a BlobStore can have a million files. */
const rereadAfter = 600_000;

/**
 * Measures the catalog, the index and the blobs as files of this process, or asks their servers. A bucket has no size, as it could
 * only list all objects. Returns the previous size while a new one is measured.
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

/** The last measured size; undefined where that failed. */
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
          // Retried at the next scrape.
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

/** Bytes of a file, or of all files below a folder, ignoring those that disappear meanwhile. */
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

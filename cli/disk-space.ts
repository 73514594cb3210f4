import { statfs, lstat, readdir } from "node:fs/promises";
import type { Logger } from "pino";
import { parseBlobUrl } from "../stores/blobs/url.ts";
import type { Config } from "./config.ts";
import { absentAsUndefined } from "./data-folder.ts";
import { join } from "node:path";

/** A folder that a process writes to, with the setting that names it. */
export interface WrittenFolder {
  readonly setting: "DATA_DIR" | "BLOB_URL";
  readonly path: string;
}

/** The disks that a process writes to. */
export interface Disks {
  /** A sentence for each disk with too little free space. They name settings, never paths or sizes. */
  warnings(): Promise<readonly string[]>;
  close(): void;
}

/** Interval of checks, in milliseconds. */
const checkInterval = 60_000;

/** Interval of repeated warnings, in milliseconds. */
const repeatInterval = 3_600_000;

/** The folders that a process writes to, by its settings; `data` is its own folder. */
export function writtenFolders({ blobUrl }: Pick<Config, "blobUrl">, data: string): readonly WrittenFolder[] {
  const blobs = blobUrl === null ? null : parseBlobUrl(blobUrl);
  return [
    { setting: "DATA_DIR", path: data },
    ...(blobs?.kind === "folder" ? [{ setting: "BLOB_URL", path: blobs.folder } as const] : []),
  ];
}

/**
 * Watches the disks of folders, and logs a warning while one has less than the share `least` free, 0 to 1; 0: never. Closing ends
 * that.
 */
export function watchDisks(folders: readonly WrittenFolder[], least: number, log: Logger): Disks {
  const toldAt = new Map<string, number>();

  const scarce = (): ReturnType<typeof scarceFolders> => scarceFolders(folders, least);

  async function tell(): Promise<void> {
    const now = Date.now();
    const found = await scarce();
    for (const name of toldAt.keys()) {
      if (found.some(({ setting }) => setting === name)) continue;
      toldAt.delete(name);
      log.info(`The disk of ${name} has room again.`);
    }
    for (const { setting, path, free } of found) {
      if (now - (toldAt.get(setting) ?? -Infinity) < repeatInterval) continue;
      toldAt.set(setting, now);
      log.warn({ path, free: Math.round(free * 1000) / 1000 }, sentenceOf(setting, least));
    }
  }

  const check = (): void =>
    void tell().catch((error: unknown) => log.warn({ err: error }, "the free disk space cannot be found out"));
  check();
  const timer = setInterval(check, checkInterval).unref();
  return {
    warnings: () => scarceDisks(folders, least),
    close: () => clearInterval(timer),
  };
}

/** A sentence for each folder whose disk has less than the share `least` free. */
export async function scarceDisks(folders: readonly WrittenFolder[], least: number): Promise<readonly string[]> {
  return (await scarceFolders(folders, least)).map(({ setting }) => sentenceOf(setting, least));
}

/** The free share of each folder's disk, 0 to 1, by the setting that names it. */
export async function freeShares(folders: readonly WrittenFolder[]): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(
    await Promise.all(folders.map(async ({ setting, path }) => [setting, await freeShare(path)] as const)),
  );
}

async function scarceFolders(
  folders: readonly WrittenFolder[],
  least: number,
): Promise<readonly (WrittenFolder & { free: number })[]> {
  const found = await Promise.all(folders.map(async (folder) => ({ ...folder, free: await freeShare(folder.path) })));
  return found.filter(({ free }) => free < least);
}

function sentenceOf(setting: string, least: number): string {
  return `Less than ${Number((least * 100).toFixed(2))} % of the disk of ${setting} is free. Free some: when it is full, nothing can be indexed or submitted.`;
}

/** The free share of a disk for this user, of bytes or files, whichever is less; 1 where it is unknown, or does not exist yet. */
async function freeShare(path: string): Promise<number> {
  const disk = await statfs(path).catch(absentAsUndefined);
  if (!disk) return 1;
  const { blocks, bfree, bavail, files, ffree } = disk;
  // As df counts: space reserved for root is not part of the disk.
  const room = blocks - bfree + bavail;
  return Math.min(room > 0 ? bavail / room : 1, files > 0 ? ffree / files : 1);
}

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

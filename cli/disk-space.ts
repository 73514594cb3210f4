import { statfs, lstat, readdir } from "node:fs/promises";
import type { Logger } from "pino";
import { scarceStorage } from "../domain/storage.ts";
import { codeOf } from "../stores/blobs/durable-files.ts";
import { parseBlobUrl } from "../stores/blobs/url.ts";
import type { Config } from "./config.ts";
import { undefinedIfMissing } from "./data-folder.ts";
import { join } from "node:path";

/** A folder that a process writes to, with the setting that names it. */
export interface WrittenFolder {
  readonly setting: "DATA_DIR" | "BLOB_URL";
  readonly path: string;
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

/** Watches the disks of folders, and logs a warning while one has less than the share `least` free, 0 to 1; 0: never. */
export function watchDisks(folders: readonly WrittenFolder[], least: number, log: Logger) {
  const warnedAt = new Map<string, number>();

  async function warn(): Promise<void> {
    const now = Date.now();
    const scarce = await scarceFolders(folders, least);
    for (const name of warnedAt.keys()) {
      if (scarce.some(({ setting }) => setting === name)) continue;
      warnedAt.delete(name);
      log.info(`The disk of ${name} has enough free space again.`);
    }
    for (const { setting, path, free } of scarce) {
      if (now - (warnedAt.get(setting) ?? -Infinity) < repeatInterval) continue;
      warnedAt.set(setting, now);
      log.warn({ path, free: Math.round(free * 1000) / 1000 }, sentenceOf(setting, least));
    }
  }

  const check = (): void =>
    void warn().catch((error: unknown) => log.warn({ err: error }, "the free disk space cannot be read"));
  check();
  const timer = setInterval(check, checkInterval).unref();
  return {
    /** A sentence for each disk with too little free space, without paths and sizes. */
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

async function scarceFolders(folders: readonly WrittenFolder[], least: number) {
  const shares = await Promise.all(folders.map(async (folder) => ({ ...folder, free: await freeShare(folder.path) })));
  return shares.filter(({ free }) => free < least);
}

function sentenceOf(setting: string, least: number): string {
  return `Less than ${Number((least * 100).toFixed(2))} % of the disk of ${setting} is free. Free some: when it is full, nothing can be indexed or submitted.`;
}

/** The free share of a disk for this user, of bytes or files, whichever is less; 1 if it is unknown, or the folder does not exist yet. */
async function freeShare(path: string): Promise<number> {
  const disk = await statfs(path).catch(undefinedIfMissing);
  if (!disk) return 1;
  const { blocks, bfree, bavail, files, ffree } = disk;
  // As df counts: space reserved for root is not part of the disk.
  const room = blocks - bfree + bavail;
  return Math.min(room > 0 ? bavail / room : 1, files > 0 ? ffree / files : 1);
}

interface SizePorts {
  /** Measure parts on servers; undefined for parts without a size. */
  readonly servers: Readonly<Record<"catalog" | "index" | "blobs", (() => Promise<number>) | undefined>>;
  /** Age at which a size is measured again, in milliseconds; ten minutes by default, as a BlobStore can have a million files. */
  readonly lifetime?: number;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

/**
 * Measures the storage sizes of catalog, index and blobs in bytes, as files of this process or by asking their servers. Unknown sizes are
 * absent. Returns the previous sizes while measuring new ones.
 */
export function createSizes(
  { blobUrl, databaseUrl, meiliUrl }: Pick<Config, "blobUrl" | "databaseUrl" | "meiliUrl">,
  dataFolder: string | null,
  ports: SizePorts,
): { read(): Promise<Readonly<Record<string, number>>> } {
  const { servers } = ports;
  const url = blobUrl === null ? null : parseBlobUrl(blobUrl);
  const parts: Record<string, () => Promise<number>> = {};
  if (databaseUrl !== null && servers.catalog) parts["catalog"] = servers.catalog;
  if (meiliUrl !== null && servers.index) parts["index"] = servers.index;
  if (url?.kind === "bucket" && servers.blobs) parts["blobs"] = servers.blobs;
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

/** The use of STORAGE_LIMIT; null: there is none. */
export function createStorageUse(limit: number | null, sizes: ReturnType<typeof createSizes>) {
  const share = async (): Promise<number> => {
    if (limit === null) return 0;
    return Object.values(await sizes.read()).reduce((sum, bytes) => sum + bytes, 0) / limit;
  };
  return {
    /** The used share; more than 1 beyond the limit. */
    share,
    /** A sentence if it is nearly used up. */
    async warnings(): Promise<readonly string[]> {
      const used = await share();
      if (used < scarceStorage) return [];
      const effect = used < 1 ? "No previous generations are kept" : "Nothing new is indexed";
      return [`${Math.floor(used * 100)} % of STORAGE_LIMIT is used. ${effect}: raise it, or delete libraries.`];
    },
  };
}

/** The last measured size; undefined if measuring failed. */
function remember(
  measure: () => Promise<number>,
  { lifetime = 600_000, now, onProblem }: Pick<SizePorts, "lifetime" | "now" | "onProblem">,
): () => Promise<number | undefined> {
  let known: number | undefined;
  let measuring: Promise<void> | undefined;
  let measuredAt = -Infinity;
  return async () => {
    if (now() - measuredAt > lifetime) {
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

/** Size of a file, or of all files in a folder, in bytes. Ignores files that disappear meanwhile. */
async function sizeOf(path: string): Promise<number> {
  try {
    const entry = await lstat(path);
    if (!entry.isDirectory()) return entry.size;
    return await sumOf((await readdir(path)).map((name) => join(path, name)));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return 0;
    throw error;
  }
}

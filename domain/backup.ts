import type { Catalog } from "./ports.ts";

/** Name of the command in audit records of backups. */
export const backupCommand = "backup";

/** When the last backup that is in the audit log was made, in milliseconds since 1970; null: none. */
export async function lastBackup({ audit }: Pick<Catalog, "audit">): Promise<number | null> {
  const { items } = await audit.list({ keyId: backupCommand, action: "backup.make", outcome: "done" }, { limit: 1 });
  return items[0]?.at ?? null;
}

/** A row of the catalog, by column. */
export type CatalogRow = Readonly<Record<string, string | number | null>>;

/** The catalog at one moment, read while others write to it. */
export interface CatalogSnapshot {
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  /** Names of the applied migrations, in order. */
  readonly schema: readonly string[];
  /** The saved tables, each after those that its rows refer to. */
  readonly tables: readonly string[];
  /** The rows of a table as a backup saves them, in the order of their key: the same on every database. */
  rows(table: string): AsyncIterable<CatalogRow>;
}

/** An object of a backup. */
export interface SavedObject {
  readonly key: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly sha256: string;
}

/** A saved table of the catalog, in chunks of compressed NDJSON. */
export interface SavedTable {
  readonly name: string;
  readonly rows: number;
  readonly chunks: readonly SavedObject[];
}

/** A saved blob: its name below the prefix, its size in bytes and its SHA-256. */
export type SavedBlob = readonly [name: string, bytes: number, sha256: string];

/** The saved blobs below a prefix of the BlobStore, such as a generation: a line of a list. */
export interface SavedPrefix {
  readonly prefix: string;
  readonly blobs: readonly SavedBlob[];
}

/** Version of the format of backups. */
export const backupFormat = 1;

/** The record of a backup, written last: without it there is no backup. */
export interface BackupRecord {
  readonly format: typeof backupFormat;
  /** Its time, as in 2026-11-21T02-00-00.000Z. */
  readonly id: string;
  /** Version of the program that made it. */
  readonly version: string;
  readonly schema: readonly string[];
  readonly tables: readonly SavedTable[];
  /** Compressed NDJSON with a `SavedPrefix` a line. */
  readonly lists: readonly SavedObject[];
  readonly generations: number;
  readonly blobs: number;
  /** Size of these blobs. */
  readonly bytes: number;
  /** The key ring in the form of ENCRYPTION_KEYS; null: it is not saved. */
  readonly keys: SavedObject | null;
  /** Prefixes with missing or damaged blobs, which the backup therefore lacks, and why. */
  readonly damaged: Readonly<Record<string, string>>;
}

/** The key of a blob in a backup: by its content, so that it is written once, and that damage is detected. */
export function savedBlobKey(prefix: string, [name, bytes, sha256]: SavedBlob): string {
  return `blobs/${prefix}${name}.${bytes}.${sha256}`;
}

const savedName = /^(.+)\.(\d+)\.([0-9a-f]{64})$/;

/** Reverses `savedBlobKey`; undefined for other keys. */
export function parseSavedKey(prefix: string, key: string): SavedBlob | undefined {
  const [, name, bytes, sha256] = savedName.exec(key.slice(`blobs/${prefix}`.length)) ?? [];
  return name === undefined || sha256 === undefined ? undefined : [name, Number(bytes), sha256];
}

import {
  backupFormat,
  type BackupRecord,
  type CatalogRow,
  type SavedObject,
  type SavedPrefix,
} from "../domain/backup.ts";
import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import { decompressAll, sha256 } from "./parts.ts";

const root = "backups/";

/** Prefix of the objects of a backup, without its blobs; it ends in `/`. */
export function backupPrefix(id: string): string {
  return `${root}${id}/`;
}

/** The key of a backup's record. */
export function recordKey(id: string): string {
  return `${backupPrefix(id)}backup.json`;
}

/** The IDs of the backups in a place, oldest first; `unfinished` have no record. */
export async function listBackups(
  place: BlobStore,
): Promise<{ readonly finished: readonly string[]; readonly unfinished: readonly string[] }> {
  const ids = new Map<string, boolean>();
  for await (const key of place.list(root)) {
    const id = key.split("/")[1] ?? "";
    ids.set(id, (ids.get(id) ?? false) || key === recordKey(id));
  }
  const all = [...ids.keys()].sort();
  return { finished: all.filter((id) => ids.get(id)), unfinished: all.filter((id) => !ids.get(id)) };
}

/** The record of a backup, of the last one by default. @throws Failure validation_error, format_unknown, internal_error */
export async function readBackup(place: BlobStore, wanted?: string): Promise<BackupRecord> {
  const { finished } = await listBackups(place);
  const id = wanted ?? finished.at(-1);
  if (id === undefined) throw new Failure("validation_error", "There is no finished backup in this place.");
  if (!finished.includes(id)) {
    const message = `There is no finished backup ${id} in this place, but ${finished.slice(-5).join(", ") || "none"}.`;
    throw new Failure("validation_error", message);
  }
  const bytes = (await place.get(recordKey(id))) ?? new Uint8Array();
  let record: { readonly format?: unknown };
  try {
    record = JSON.parse(Buffer.from(bytes).toString("utf8")) as typeof record;
  } catch (cause) {
    throw damaged(recordKey(id), "is no JSON", cause);
  }
  if (record.format === backupFormat) return record as BackupRecord;
  const message = `The backup has format ${String(record.format)}, and this version of Lectern reads format ${backupFormat}. Use a newer version.`;
  throw new Failure("format_unknown", message);
}

/** An object of a backup, checked against its hash. @throws Failure internal_error if it is missing or damaged */
export async function readSaved(place: BlobStore, object: Pick<SavedObject, "key" | "sha256">): Promise<Uint8Array> {
  const bytes = await place.get(object.key);
  if (!bytes) throw damaged(object.key, "is missing");
  if (sha256(bytes) !== object.sha256) throw damaged(object.key, "is damaged");
  return bytes;
}

/** The rows of a saved table. @throws Failure internal_error if a chunk is missing or damaged, or has not all rows */
export async function* savedRows(place: BlobStore, record: BackupRecord, name: string): AsyncGenerator<CatalogRow> {
  const table = record.tables.find((one) => one.name === name);
  let count = 0;
  for await (const row of linesIn<CatalogRow>(place, table?.chunks ?? [])) {
    count += 1;
    yield row;
  }
  if (count !== table?.rows) throw damaged(recordKey(record.id), `names other than ${count} rows of the table ${name}`);
}

/** The saved prefixes of the BlobStore. @throws Failure internal_error if a list is missing or damaged */
export function savedPrefixes(place: BlobStore, { lists }: BackupRecord): AsyncGenerator<SavedPrefix> {
  return linesIn<SavedPrefix>(place, lists);
}

async function* linesIn<T>(place: BlobStore, objects: readonly SavedObject[]): AsyncGenerator<T> {
  for (const object of objects) {
    const lines = await decompressAll(await readSaved(place, object));
    for (const line of lines.toString("utf8").split("\n")) if (line !== "") yield JSON.parse(line) as T;
  }
}

function damaged(key: string, how: string, cause?: unknown): Failure {
  const message = `The backup is damaged: ${key} ${how}. Restore an earlier one with --at, and make a new one.`;
  return new Failure("internal_error", message, cause === undefined ? {} : { cause });
}

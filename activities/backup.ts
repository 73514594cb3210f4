import {
  backupFormat,
  parseSavedKey,
  savedBlobKey,
  type BackupRecord,
  type CatalogSnapshot,
  type SavedBlob,
  type SavedObject,
  type SavedPrefix,
  type SavedTable,
} from "../domain/backup.ts";
import { Failure } from "../domain/failures.ts";
import { inOrder } from "../domain/in-order.ts";
import type { BlobStore } from "../domain/ports.ts";
import { uploadPrefix } from "../domain/submitting.ts";
import { backupPrefix, recordKey } from "./backup-reading.ts";
import { compress, generationPrefix, manifestKey, manifestOf, sha256, unlessDamaged } from "./parts.ts";

/** What a backup reads and writes. */
export interface BackupPorts {
  /** Takes a snapshot of the catalog for some work. */
  readonly withSnapshot: <T>(work: (snapshot: CatalogSnapshot) => Promise<T>) => Promise<T>;
  readonly blobs: BlobStore;
  /** Where backups are kept. */
  readonly place: BlobStore;
  /** The key ring in the form of ENCRYPTION_KEYS; null: it is not saved. */
  readonly keys: string | null;
  /** Version of this program. */
  readonly version: string;
  readonly now: () => number;
}

/** The result of a backup. */
export interface BackedUp {
  readonly record: BackupRecord;
  /** Blobs that were written, as the place did not have them, and their size. */
  readonly written: { blobs: number; bytes: number };
}

/** Blobs that are copied at once. */
const atOnce = 8;

/** Size at which a chunk of rows or lines is closed, in characters. */
const chunkSize = 4_000_000;

/** Maximum number of snapshots: with each one less has vanished meanwhile, as only what is new is copied. */
const maxPasses = 10;

/**
 * Writes a backup while the server runs: first the catalog, then the blobs that it names. If blobs have been removed in between, it takes
 * another snapshot. Blobs that the place has are neither read nor written: those of a finished generation never change, except for its
 * outline, which is made again from the others.
 * @throws Failure service_unavailable if blobs vanish in each pass; then there is no backup
 */
export async function backUp(ports: BackupPorts): Promise<BackedUp> {
  const { place, keys, version, now } = ports;
  const id = new Date(now()).toISOString().replaceAll(":", "-");
  const written = { blobs: 0, bytes: 0 };
  // Before anything that another process might take for left over.
  await place.put(`${backupPrefix(id)}started`, Buffer.from(version));
  let before: Readonly<Record<string, string>> = {};
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const prefix = `${backupPrefix(id)}${pass}/`;
    const saved = await ports.withSnapshot((snapshot) => saveCatalog(place, `${prefix}catalog/`, snapshot));
    const blobs = await saveBlobs(ports, `${prefix}blobs`, saved.prefixes, written);
    const vanished = Object.keys(blobs.damaged).filter((one) => !Object.hasOwn(before, one));
    before = blobs.damaged;
    // What was missing in two snapshots was not removed in between.
    if (vanished.length > 0) {
      await place.removeAll(prefix);
      continue;
    }
    const ring = keys === null ? null : await putObject(place, `${backupPrefix(id)}encryption.key`, `${keys}\n`);
    const { schema, tables, generations } = saved;
    const record = { format: backupFormat, id, version, schema, tables, generations, ...blobs, keys: ring } as const;
    await place.put(recordKey(id), Buffer.from(JSON.stringify(record)));
    return { record, written };
  }
  const message = `In each of ${maxPasses} passes generations were removed before they were copied. Try again when fewer libraries are refreshed.`;
  throw new Failure("service_unavailable", message);
}

/** Saves the rows of a snapshot, and returns the prefixes of the blobs that they name. */
async function saveCatalog(place: BlobStore, prefix: string, { schema, tables, rows }: CatalogSnapshot) {
  const saved: SavedTable[] = [];
  const [generations, uploads]: string[][] = [[], []];
  for (const name of tables) {
    const writer = createLineWriter(place, (number) => `${prefix}${name}-${number}.ndjson.zst`);
    let count = 0;
    for await (const row of rows(name)) {
      count += 1;
      if (name === "generations") generations?.push(generationPrefix(String(row["id"])));
      if (name === "libraries" && typeof row["upload"] === "string") uploads?.push(uploadPrefix(row["upload"]));
      await writer.write(row);
    }
    saved.push({ name, rows: count, chunks: await writer.close() });
  }
  return {
    schema,
    tables: saved,
    generations: generations?.length ?? 0,
    prefixes: [...new Set([...(generations ?? []), ...(uploads ?? [])])],
  };
}

async function saveBlobs(
  { blobs, place }: Pick<BackupPorts, "blobs" | "place">,
  list: string,
  prefixes: readonly string[],
  written: BackedUp["written"],
): Promise<Pick<BackupRecord, "lists" | "blobs" | "bytes" | "damaged">> {
  const writer = createLineWriter(place, (number) => `${list}-${number}.ndjson.zst`);
  const damaged: Record<string, string> = {};
  const total = { blobs: 0, bytes: 0 };
  for (const prefix of prefixes) {
    const copied = await copyPrefix(blobs, place, prefix, written);
    if (typeof copied === "string") {
      damaged[prefix] = copied;
      continue;
    }
    total.blobs += copied.length;
    for (const [, bytes] of copied) total.bytes += bytes;
    await writer.write({ prefix, blobs: copied } satisfies SavedPrefix);
  }
  return { lists: await writer.close(), ...total, damaged };
}

/** Copies what is new below a prefix, and returns all that is saved there; a sentence if a blob is missing or damaged. */
async function copyPrefix(
  blobs: BlobStore,
  place: BlobStore,
  prefix: string,
  written: BackedUp["written"],
): Promise<readonly SavedBlob[] | string> {
  const known = new Map<string, SavedBlob[]>();
  for await (const key of place.list(`blobs/${prefix}`)) {
    const blob = parseSavedKey(prefix, key);
    if (blob) known.set(blob[0], [...(known.get(blob[0]) ?? []), blob]);
  }
  const names: string[] = [];
  for await (const key of blobs.list(prefix)) names.push(key.slice(prefix.length));
  const generation = prefix.startsWith("generations/") ? (prefix.split("/")[1] ?? "") : undefined;
  const last = generation === undefined ? undefined : manifestKey(generation).slice(prefix.length);
  // A saved manifest shows that an earlier backup saved and checked all parts.
  const isChecked = last === undefined || known.has(last);
  const manifest =
    isChecked || generation === undefined ? undefined : await unlessDamaged(manifestOf(blobs, generation));
  if (!isChecked && !manifest) return "Its manifest is missing or damaged.";
  const hashes = new Map(manifest?.parts.map(({ key, sha256 }) => [key.slice(prefix.length), sha256]));
  const lost = [...hashes.keys()].find((name) => !names.includes(name));
  if (lost !== undefined || names.length === 0) return `The blob ${prefix}${lost ?? ""} is missing.`;

  const copy = async (name: string): Promise<SavedBlob | string> => {
    const [saved, ...others] = known.get(name) ?? [];
    if (saved && others.length === 0) return saved;
    const bytes = await blobs.get(prefix + name);
    if (!bytes) return `The blob ${prefix}${name} is missing.`;
    const blob: SavedBlob = [name, bytes.length, sha256(bytes)];
    if ((hashes.get(name) ?? blob[2]) !== blob[2]) return `The blob ${prefix}${name} is damaged.`;
    if ([saved, ...others].some((one) => one?.[2] === blob[2])) return blob;
    await place.put(savedBlobKey(prefix, blob), bytes);
    written.blobs += 1;
    written.bytes += bytes.length;
    return blob;
  };
  const all: SavedBlob[] = [];
  for await (const copied of inOrder(names.filter((name) => name !== last).sort(), copy, { items: atOnce })) {
    if (typeof copied === "string") return copied;
    all.push(copied);
  }
  if (last === undefined) return all;
  const copied = await copy(last);
  return typeof copied === "string" ? copied : [...all, copied];
}

async function putObject(place: BlobStore, key: string, content: Uint8Array | string): Promise<SavedObject> {
  const bytes = Buffer.from(content);
  await place.put(key, bytes);
  return { key, bytes: bytes.length, sha256: sha256(bytes) };
}

/** Writes values as chunks of compressed NDJSON. */
function createLineWriter(place: BlobStore, keyOf: (number: number) => string) {
  const chunks: SavedObject[] = [];
  let lines: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const content = await compress(lines.join(""));
    chunks.push(await putObject(place, keyOf(chunks.length), content));
    lines = [];
    size = 0;
  };
  return {
    async write(value: object): Promise<void> {
      const line = `${JSON.stringify(value)}\n`;
      lines.push(line);
      size += line.length;
      if (size > chunkSize) await flush();
    },
    async close(): Promise<readonly SavedObject[]> {
      await flush();
      return chunks;
    },
  };
}

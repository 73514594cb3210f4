import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBackup, readSaved, savedRows } from "../activities/backup-reading.ts";
import { readBlobs, requireNoOthers } from "../activities/restore.ts";
import { size } from "../api/dashboard/views/parts.ts";
import type { BackupRecord } from "../domain/backup.ts";
import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import { quantity } from "../domain/quantity.ts";
import { writeWhole } from "../stores/blobs/durable-files.ts";
import { openCatalogRestore } from "./catalog-copies.ts";
import type { Given } from "./command.ts";
import { loadConfig, type Config } from "./config.ts";
import { keyRing, type RingKey } from "./config/formats.ts";
import { openDataFolder } from "./data-folder.ts";
import { openLog } from "./log.ts";
import { exitCodes, forPeople, printJson } from "./output.ts";
import { programName } from "./program-name.ts";
import { findRing, opensAll } from "./secrets.ts";
import { isCluster, keyFileOf, openBlobs, openPlace } from "./stores.ts";

/** `lectern restore`: restores a backup into an empty data folder or the servers of a cluster; with `--check` into a temporary folder. */
export async function run(given: Given): Promise<void> {
  const [from = ""] = given.words;
  const isCheck = given.given("check");
  const config = loadConfig(process.env);
  const log = openLog("warn", { sync: true });
  await using closing = new AsyncDisposableStack();
  const place = closing.adopt(await openPlace(from, log), (store) => store.close?.());
  const record = await readBackup(place, given.text("at"));
  const { rows, opened } = isCheck ? await check(place, record, config) : await restore(place, record, config);
  if (opened === false) process.exitCode = exitCodes.partlyRead;
  const { id, generations, blobs, bytes, damaged } = record;
  if (!forPeople(given)) {
    printJson({ id, checked: isCheck, generations, blobs, bytes, rows, credentialsOpen: opened, damaged });
    return;
  }
  console.log(
    `The backup ${id} is ${isCheck ? "complete" : "restored"}: ${quantity(generations, "generation")} of ${size(bytes)}, ${quantity(rows, "row")} of the catalog; all agree with their hashes.`,
  );
  for (const [prefix, reason] of Object.entries(damaged)) console.error(`It lacks ${prefix} ${reason}`);
  if (opened === false)
    console.error(
      "No key opens some of its credentials. Set ENCRYPTION_KEYS to the keys of that time, or submit these again.",
    );
  if (opened === null) console.error("It has no encryption keys: set ENCRYPTION_KEYS to them before the start.");
  if (!isCheck) console.log(`Now run: ${programName()} ${isCluster(config) ? "setup" : "serve"}`);
}

interface Restored {
  readonly rows: number;
  /** Whether the key ring opens every credential; null: there are no keys. */
  readonly opened: boolean | null;
}

async function restore(place: BlobStore, record: BackupRecord, config: Config): Promise<Restored> {
  await using closing = new AsyncDisposableStack();
  const data = isCluster(config) ? null : await openDataFolder(config.dataDir);
  closing.defer(() => data?.close());
  const log = openLog("warn", { sync: true });
  const options = { dataFolder: config.dataDir, migrate: false, name: "lectern restore", log };
  const blobs = closing.adopt(await openBlobs(config, options), (store) => store.close?.());
  return await restoreCatalog(place, record, config, async (requireEmpty) => {
    await requireEmpty();
    await requireNoOthers(blobs, place, record);
    const ring = await restoreKeys(place, record, config);
    // Before the rows, which make them a catalog.
    await readBlobs(place, record, { take: (key, bytes) => blobs.put(key, bytes) });
    return ring;
  });
}

/** Restores the catalog into a temporary folder, and reads everything else. */
async function check(place: BlobStore, record: BackupRecord, config: Config): Promise<Restored> {
  const dataDir = await mkdtemp(join(tmpdir(), "lectern-check-"));
  try {
    return await restoreCatalog(place, record, { databaseUrl: null, dataDir }, async () => {
      await readBlobs(place, record, { take: async () => {} });
      return [...config.encryptionKeys, ...(await savedRing(place, record))];
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function restoreCatalog(
  place: BlobStore,
  record: BackupRecord,
  to: Pick<Config, "databaseUrl" | "dataDir">,
  before: (requireEmpty: () => Promise<void>) => Promise<readonly RingKey[]>,
): Promise<Restored> {
  await using closing = new AsyncDisposableStack();
  const catalog = await openCatalogRestore(to, {
    schema: record.schema,
    tables: record.tables.map(({ name }) => name),
    rows: (table) => savedRows(place, record, table),
  });
  closing.defer(catalog.close);
  const ring = await before(catalog.requireEmpty);
  const rows = await catalog.restore();
  return { rows, opened: ring.length === 0 ? null : opensAll(ring, await catalog.sealed()) };
}

/** The saved key ring; empty: it is not saved. */
async function savedRing(place: BlobStore, { keys }: BackupRecord): Promise<readonly RingKey[]> {
  return keys === null ? [] : keyRing.parse(Buffer.from(await readSaved(place, keys)).toString("utf8"));
}

/**
 * Writes the saved keys that ENCRYPTION_KEYS lacks to the data folder, and returns the key ring of the restored server.
 * @throws Failure validation_error if other keys are there, or the process has no data folder
 */
async function restoreKeys(place: BlobStore, record: BackupRecord, config: Config): Promise<readonly RingKey[]> {
  const { encryptionKeys: configured, dataDir } = config;
  const file = isCluster(config) ? null : keyFileOf(dataDir);
  const existing = await findRing({ configured, file });
  const saved = await savedRing(place, record);
  const isIn = (ring: readonly RingKey[]) => (one: RingKey) =>
    ring.some(({ id, key }) => id === one.id && Buffer.compare(key, one.key) === 0);
  if (record.keys === null || saved.every(isIn(existing))) return existing;
  if (file === null) {
    const message = `ENCRYPTION_KEYS lacks keys of the backup. Add the content of its ${record.keys.key}, in every process.`;
    throw new Failure("validation_error", message);
  }
  if (existing.length > configured.length)
    throw new Failure("validation_error", `${file} has other keys than the backup. Restore into an empty folder.`);
  await writeWhole(file, `${file}.${randomUUID()}.tmp`, await readSaved(place, record.keys));
  return findRing({ configured, file });
}

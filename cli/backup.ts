import { backUp } from "../activities/backup.ts";
import { pruneBackups, type Pruned } from "../activities/backup-pruning.ts";
import { size } from "../api/dashboard/views/parts.ts";
import { backupCommand } from "../domain/backup.ts";
import { quantity } from "../domain/quantity.ts";
import { recordOfCommand } from "./audit-log.ts";
import { addAuditRecord, withCatalogSnapshot } from "./catalog-copies.ts";
import type { Given } from "./command.ts";
import { loadConfig, type Config } from "./config.ts";
import { openLog } from "./log.ts";
import { exitCodes, forPeople, numberOf, printJson } from "./output.ts";
import { programVersion } from "./package-info.ts";
import { findRing } from "./secrets.ts";
import { isCluster, keyFileOf, openBlobs, openPlace } from "./stores.ts";

/** `lectern backup`: saves catalog, keys and generations. Without a lock, as the server may be running. */
export async function run(given: Given): Promise<void> {
  const [to = ""] = given.words;
  const keep = numberOf(given, "keep");
  const startedAt = Date.now();
  const config = loadConfig(process.env);
  const log = openLog("warn", { sync: true });
  const options = { dataFolder: config.dataDir, migrate: false, name: "lectern backup", log };
  await using closing = new AsyncDisposableStack();
  const blobs = closing.adopt(await openBlobs(config, options), (store) => store.close?.());
  const place = closing.adopt(await openPlace(to, log), (store) => store.close?.());
  const file = isCluster(config) ? null : keyFileOf(config.dataDir);
  const ring = given.given("without-keys") ? [] : await findRing({ configured: config.encryptionKeys, file });
  const { record, written } = await backUp({
    withSnapshot: (work) => withCatalogSnapshot(config, work),
    blobs,
    place,
    keys:
      ring.length === 0 ? null : ring.map(({ id, key }) => `${id}:${Buffer.from(key).toString("base64")}`).join(","),
    version: programVersion,
    now: () => startedAt,
  });
  // The backup is complete: a catalog that cannot be written to, such as a replica, does not make it fail.
  await noteBackup(config, record.id, startedAt).catch((error: unknown) =>
    log.warn({ err: error }, "The backup was made, but is not in the audit log: the server does not know of it"),
  );
  const pruned = keep === undefined ? undefined : await pruneBackups(place, keep, Date.now());
  const { id, generations, keys, damaged } = record;
  const saved = { blobs: record.blobs, bytes: record.bytes };
  if (Object.keys(damaged).length > 0) process.exitCode = exitCodes.partlyRead;
  if (!forPeople(given)) {
    printJson({ id, generations, ...saved, written, keys: keys !== null, damaged, ...(pruned && { pruned }) });
    return;
  }
  console.log(
    `Backup ${id}: ${quantity(generations, "generation")} of ${size(saved.bytes)}, of which ${size(written.bytes)} are new.`,
  );
  console.log(
    keys === null
      ? "It has no encryption keys: keep them in another place, or its credentials are lost."
      : "It has the encryption keys: whoever can read it can open its credentials.",
  );
  for (const [prefix, reason] of Object.entries(damaged)) console.error(`It lacks ${prefix} ${reason}`);
  if (pruned) console.log(prunedText(pruned));
}

/** Records the backup in the audit log, from which the server knows when the last one was made. */
async function noteBackup(config: Config, id: string, startedAt: number): Promise<void> {
  const act = { command: backupCommand, action: "backup.make", target: id } as const;
  await addAuditRecord(config, { ...recordOfCommand(act, startedAt), outcome: "done" });
}

function prunedText({ backups, waitsFor }: Pruned): string {
  if (waitsFor !== null) return `No older backup was removed, as ${waitsFor} is being made, or was interrupted.`;
  return `${quantity(backups.length, "older backup")} removed.`;
}

import type { BlobStore } from "../domain/ports.ts";
import { backupPrefix, listBackups, readBackup, savedPrefixes } from "./backup-reading.ts";

/** Age after which an unfinished backup is taken for interrupted, in milliseconds. */
const maxDuration = 86_400_000;

/** The result of pruning. */
export interface Pruned {
  /** IDs of the removed backups. */
  readonly backups: readonly string[];
  /** Prefixes of blobs that were removed, as no backup names them. */
  readonly prefixes: number;
  /** ID of a backup that is being made, so that nothing was removed; null: none. */
  readonly waitsFor: string | null;
}

/** Removes all backups but the last `keep` finished ones, interrupted ones, and the blobs that no other one names. */
export async function pruneBackups(place: BlobStore, keep: number, now: number): Promise<Pruned> {
  const { finished, unfinished } = await listBackups(place);
  const isRecent = (id: string): boolean => timeOf(id) > now - maxDuration;
  const running = unfinished.find(isRecent);
  if (running !== undefined) return { backups: [], prefixes: 0, waitsFor: running };
  const kept = finished.slice(-keep);
  const removed = [...finished.slice(0, -keep), ...unfinished];
  const named = new Set<string>();
  for (const id of kept)
    for await (const { prefix } of savedPrefixes(place, await readBackup(place, id))) named.add(prefix);
  for (const id of removed) await place.removeAll(backupPrefix(id));
  const unnamed = new Set<string>();
  for await (const key of place.list("blobs/")) {
    const prefix = `${key.split("/").slice(1, 3).join("/")}/`;
    if (!named.has(prefix)) unnamed.add(prefix);
  }
  for (const prefix of unnamed) await place.removeAll(`blobs/${prefix}`);
  return { backups: removed, prefixes: unnamed.size, waitsFor: null };
}

/** When a backup was started, by its ID: `2026-11-21T02-00-00.000Z`. */
function timeOf(id: string): number {
  return Date.parse(id.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")) || 0;
}

import { createHash } from "node:crypto";
import { savedBlobKey, type BackupRecord, type CatalogRow, type SavedPrefix } from "../domain/backup.ts";
import type { Manifest } from "../domain/generation.ts";
import { Failure } from "../domain/failures.ts";
import { inOrder } from "../domain/in-order.ts";
import type { BlobStore } from "../domain/ports.ts";
import { readSaved, savedPrefixes } from "./backup-reading.ts";
import { decompressAll, manifestKey } from "./parts.ts";

/** Blobs that are copied at once. */
const atOnce = 8;

/** What reads the blobs of a backup. */
interface ReadingBlobs {
  /** Takes a blob, which was checked. */
  readonly take: (key: string, bytes: Uint8Array) => Promise<void>;
  /** Called after each prefix with the number of blobs so far. */
  readonly onProgress?: (blobs: number) => void;
}

/**
 * Reads every blob of a backup, and checks it against its hash, and each generation against its manifest.
 * @throws Failure internal_error if anything is missing or damaged
 */
export async function readBlobs(
  place: BlobStore,
  record: BackupRecord,
  { take, onProgress }: ReadingBlobs,
): Promise<void> {
  let done = 0;
  for await (const saved of savedPrefixes(place, record)) {
    const { prefix, blobs } = saved;
    const read = async (blob: SavedPrefix["blobs"][number]): Promise<void> => {
      const key = prefix + blob[0];
      const bytes = await readSaved(place, { key: savedBlobKey(prefix, blob), sha256: blob[2] });
      if (key === manifestKey(prefix.split("/")[1] ?? "")) await checkGeneration(saved, bytes);
      await take(key, bytes);
    };
    for await (const _ of inOrder(blobs, read, { items: atOnce })) done += 1;
    onProgress?.(done);
  }
  if (done === record.blobs) return;
  throw new Failure("internal_error", `The backup is damaged: it has ${done} of ${record.blobs} blobs.`);
}

/** @throws Failure internal_error if the backup lacks a part of a generation, or has another one */
async function checkGeneration({ prefix, blobs }: SavedPrefix, bytes: Uint8Array): Promise<void> {
  const { parts } = JSON.parse((await decompressAll(bytes)).toString("utf8")) as Pick<Manifest, "parts">;
  const saved = new Map(blobs.map(([name, , sha256]) => [prefix + name, sha256]));
  const wrong = parts.find(({ key, sha256 }) => saved.get(key) !== sha256);
  if (wrong) throw new Failure("internal_error", `The backup is damaged: it lacks the part ${wrong.key}.`);
}

/** Refuses a BlobStore with generations that are not of the backup; those of an interrupted restore are. @throws Failure validation_error */
export async function requireNoOthers(blobs: BlobStore, place: BlobStore, record: BackupRecord): Promise<void> {
  const ours = new Set<string>();
  for await (const { prefix } of savedPrefixes(place, record)) ours.add(prefix);
  for await (const key of blobs.list("generations/")) {
    if (ours.has(`${key.split("/").slice(0, 2).join("/")}/`)) continue;
    const message = `There are passages of libraries where the backup would be restored (${key}). Name an empty place in DATA_DIR or BLOB_URL.`;
    throw new Failure("validation_error", message);
  }
}

/** Digests rows, in an order that does not depend on the order of columns. */
export function createRowsDigest(): { add(row: CatalogRow): void; digest(): string } {
  const hash = createHash("sha256");
  return {
    add: (row) =>
      void hash.update(`${JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))}\n`),
    digest: () => hash.digest("hex"),
  };
}

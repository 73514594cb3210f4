import { resolve } from "node:path";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import { createFolderBlobStore } from "../stores/blobs/folder.ts";
import { parseBlobUrl, type BlobLocation } from "../stores/blobs/url.ts";

/** Opens the place of backups: a folder, or the URL of a folder or bucket as in BLOB_URL. @throws Failure validation_error */
export async function openPlace(text: string, log: Logger): Promise<BlobStore & { close?(): void }> {
  const location: BlobLocation = /^(?:s3|file):/i.test(text)
    ? locationOf(text)
    : { kind: "folder", folder: resolve(text) };
  if (location.kind === "folder") return createFolderBlobStore({ folder: location.folder });
  const { createBucketBlobStore } = await import("../stores/blobs/bucket.ts");
  return createBucketBlobStore({
    ...location,
    named: "the backup's address",
    onSilent: (isSilent) => void (isSilent && log.warn("The bucket of the backup does not respond; trying again")),
  });
}

function locationOf(text: string): BlobLocation {
  try {
    return parseBlobUrl(text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `The address of the backup ${error.message}.`, { cause: error });
  }
}

import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import { uploadKey } from "../domain/uploads.ts";

/** The uploaded file that a library is read from. @throws Failure source_not_found where the BlobStore has lost it */
export async function uploadedFile(blobs: BlobStore, upload: string | null, libraryId: string): Promise<Uint8Array> {
  const bytes = upload === null ? undefined : await blobs.get(uploadKey(upload));
  if (bytes) return bytes;
  const message = `The uploaded file of ${libraryId} is not in the BlobStore. Upload it again with force=true.`;
  throw new Failure("source_not_found", message);
}

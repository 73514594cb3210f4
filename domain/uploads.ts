/** Prefix of uploaded files in the BlobStore, below which each has its own prefix. */
export const uploadsPrefix = "uploads/";

/** Prefix of an upload's blobs. */
export function uploadPrefix(id: string): string {
  return `${uploadsPrefix}${id}/`;
}

/** Key of an uploaded file. */
export function uploadKey(id: string): string {
  return `${uploadPrefix(id)}file`;
}

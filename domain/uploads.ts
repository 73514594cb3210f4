/** Where submitted files lie in the BlobStore: a folder each. */
export const uploadsPrefix = "uploads/";

/** Prefix of an upload's blobs. */
export function uploadPrefix(id: string): string {
  return `${uploadsPrefix}${id}/`;
}

/** Key of an uploaded file. */
export function uploadKey(id: string): string {
  return `${uploadPrefix(id)}file`;
}

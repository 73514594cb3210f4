import type { ManifestPage } from "./generation.ts";
import type { PageRef } from "./source-port.ts";

/** The members of a manifest row that identify a page; of a page in a fetched resource all that a conditional request needs. */
export function toRow({
  key,
  url,
  resource,
  fingerprint,
  mediaType,
  from,
}: PageRef): Pick<ManifestPage, "path" | "url"> {
  const led = from === undefined ? {} : { from };
  return { path: key, url, ...(resource !== undefined && { resource, fingerprint, mediaType }), ...led };
}

/** The page of a manifest row. Fingerprint and media type are "" where the row has none. */
export function toRef({ path: key, url, resource, fingerprint = "", mediaType = "", from }: ManifestPage): PageRef {
  const led = from === undefined ? {} : { from };
  return { key, url, mediaType, fingerprint, ...(resource !== undefined && { resource }), ...led };
}

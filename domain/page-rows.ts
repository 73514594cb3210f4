import type { ManifestPage } from "./generation.ts";
import type { PageRef } from "./source-port.ts";

/** What a manifest keeps of where a page is: of one in a fetched resource all that a conditional request needs. */
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

/** The page that a row of a manifest is of. Fingerprint and media type are "" where the row has none. */
export function toRef({ path: key, url, resource, fingerprint = "", mediaType = "", from }: ManifestPage): PageRef {
  const led = from === undefined ? {} : { from };
  return { key, url, mediaType, fingerprint, ...(resource !== undefined && { resource }), ...led };
}

import { deriveDocsId, deriveSiteId } from "../library.ts";
import type { SourceKind } from "./kind.ts";

/** An OpenAPI description: at an address, or in an uploaded file. */
export interface OpenApiSourceSpec {
  readonly kind: "openapi";
  /** Null: it was uploaded. */
  readonly url: string | null;
  /** SHA-256 of the uploaded file, hex; null: it is at an address. */
  readonly upload: string | null;
  /** Name of the file, without folders. */
  readonly fileName: string;
}

export const openApiKind: SourceKind<OpenApiSourceSpec> = {
  kind: "openapi",
  idPrefix: ({ url }) => (url === null ? "docs" : "openapi"),
  deriveId({ url }, title) {
    if (url === null) return deriveDocsId(title);
    const site = new URL(url);
    site.pathname = site.pathname.replace(uselessEnding, "");
    return deriveSiteId("openapi", site);
  },
  label: ({ url, fileName }) => url ?? fileName,
  location: ({ url, fileName }) => url ?? fileName,
  at: (spec, url) => (spec.url === null ? spec : { ...spec, url }),
  onDisk: false,
  hasPaths: false,
  order: "key",
  host: ({ url }) => (url === null ? null : new URL(url).host),
  tokenHost: () => null,
  ref: () => null,
  hashed: (spec) => spec,
  address: (_spec, pageUrl, { fragment }) =>
    fragment === undefined || pageUrl.includes("#") ? pageUrl : `${pageUrl}#${fragment}`,
  selection: () => null,
  ownFolder: () => "",
  keepsTitle: false,
  elsewhere: () => undefined,
  moved: () => null,
  duplicate: "duplicate_library",
  work: { queue: "main", timeout: 30 * 60_000 },
};

/** Ends of paths that only say what the file is. */
const uselessEnding = /\/?(?:openapi|swagger)?\.(?:json|ya?ml)$/i;

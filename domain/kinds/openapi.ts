import { deriveDocsId, deriveSiteId } from "../library.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

/** An API description (OpenAPI 3, Swagger 2.0): at an address, or an uploaded file. */
export interface OpenApiSourceSpec {
  readonly kind: "openapi";
  /** Address of the description; null for an uploaded one. */
  readonly url: string | null;
  /** Name of the file as it was uploaded, or the last segment of its address. */
  readonly fileName: string;
}

/** The base of the page keys of a description: its address, or the name of its file. */
export function descriptionName({ url, fileName }: OpenApiSourceSpec): string {
  return url ?? fileName;
}

export const openApiKind: SourceKind<OpenApiSourceSpec> = {
  kind: "openapi",
  sourceType: ({ url }) => (url === null ? "uploaded_files" : "public_repos"),
  idPrefix: ({ url }) => (url === null ? "docs" : "openapi"),
  deriveId({ url }, title) {
    if (url === null) return deriveDocsId(title);
    const site = new URL(url);
    site.pathname = site.pathname.replace(uselessEnding, "");
    return deriveSiteId("openapi", site);
  },
  location: descriptionName,
  at: (spec, url) => (spec.url === null ? spec : { ...spec, url }),
  hasPaths: false,
  order: "key",
  host: ({ url }) => (url === null ? null : new URL(url).host),
  address: fragmentAddress,
  work: { queue: "main", timeout: 30 * 60_000 },
};

/** Last path segments that only say what the file is. */
const uselessEnding = /\/?(?:openapi|swagger)?\.(?:json|ya?ml)$/i;

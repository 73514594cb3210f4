import { deriveSiteId } from "../library.ts";
import type { SourceKind } from "./kind.ts";

/** An llms.txt, llms-full.txt or llms-small.txt, and the pages that it lists. */
export interface LlmsTxtSourceSpec {
  readonly kind: "llmstxt";
  readonly url: string;
  /** Pages on other hosts are read too. */
  readonly otherHosts: boolean;
}

export const llmsTxtKind: SourceKind<LlmsTxtSourceSpec> = {
  kind: "llmstxt",
  idPrefix: () => "llmstxt",
  deriveId: ({ url }) => deriveSiteId("llmstxt", new URL(url)),
  label: ({ url }) => url,
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  onDisk: false,
  hasPaths: false,
  order: "key",
  host: ({ url }) => new URL(url).host,
  tokenHost: () => null,
  ref: () => null,
  hashed: (spec) => spec,
  // A page that is cut out of a file has a fragment already.
  address: (_spec, pageUrl, { fragment }) =>
    fragment === undefined || pageUrl.includes("#") ? pageUrl : `${pageUrl}#${fragment}`,
  selection: () => null,
  unwanted: () => [],
  ownFolder: () => "",
  keepsTitle: false,
  elsewhere: () => undefined,
  moved: () => null,
  duplicate: "duplicate_library",
  work: null,
};

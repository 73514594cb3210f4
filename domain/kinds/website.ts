import { deriveSiteId } from "../library.ts";
import type { SourceKind } from "./kind.ts";

/** How far from its address a website reaches: the folder of the address, its host, or all hosts of its domain. */
export const websiteScopes = ["subpages", "hostname", "domain"] as const;
export type WebsiteScope = (typeof websiteScopes)[number];

/** The pages of a website, found from one of them. */
export interface WebsiteSourceSpec {
  readonly kind: "website";
  /** Where it begins. Without credentials; with a fragment only where fragments are routes. */
  readonly url: string;
  /** Addresses of all pages begin with this; null: `scope` says what belongs to the site. */
  readonly base: string | null;
  readonly scope: WebsiteScope;
  readonly maxPages: number;
  /** Links from the first page to the last, at most. */
  readonly maxDepth: number;
  /** Patterns of paths; of an empty list all are included. */
  readonly includePatterns: readonly string[];
  readonly excludePatterns: readonly string[];
  /** CSS selectors of elements that are no content. */
  readonly excludeSelectors: readonly string[];
  /** Addresses that differ in their query are different pages. */
  readonly keepQuery: boolean;
  /** Addresses that differ in a fragment which is a route (`#/guide`) are different pages. */
  readonly keepHash: boolean;
}

/** What a credential for websites holds: headers that its own origin is sent, by their names in lower case. */
export interface WebsiteCredential {
  readonly headers: Readonly<Record<string, string>>;
}

const hour = 3_600_000;

export const websiteKind: SourceKind<WebsiteSourceSpec> = {
  kind: "website",
  idPrefix: () => "websites",
  deriveId: ({ url }) => deriveSiteId("websites", new URL(url)),
  label: ({ url }) => url,
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  onDisk: false,
  hasPaths: false,
  order: "key",
  host: ({ url }) => new URL(url).host,
  tokenHost: ({ url }) => new URL(url).host,
  ref: () => null,
  hashed: (spec) => spec,
  address: (_spec, pageUrl, { fragment }) =>
    fragment === undefined || pageUrl.includes("#") ? pageUrl : `${pageUrl}#${fragment}`,
  selection: () => null,
  unwanted: ({ excludeSelectors }) => excludeSelectors,
  ownFolder: () => "",
  keepsTitle: false,
  elsewhere: () => undefined,
  moved: () => null,
  duplicate: "duplicate_library",
  // A thousand pages at the longest Crawl-delay that is respected take three hours.
  work: { queue: "git", timeout: 8 * hour },
};

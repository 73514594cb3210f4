import { deriveSiteId } from "../library.ts";
import { siteFolder } from "../addresses.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

/** The scope of a website: the folder of its address, its host, or all hosts of its domain. */
export const websiteScopes = ["subpages", "hostname", "domain"] as const;
export type WebsiteScope = (typeof websiteScopes)[number];

/** A website. */
export interface WebsiteSourceSpec {
  readonly kind: "website";
  /** Start address, without credentials; with a fragment only if fragments are routes. */
  readonly url: string;
  /** Common prefix of all page addresses; null: `scope` decides. */
  readonly base: string | null;
  readonly scope: WebsiteScope;
  readonly maxPages: number;
  /** Maximum depth: links from the start page. */
  readonly maxDepth: number;
  /** Patterns of paths; empty: all. */
  readonly includePatterns: readonly string[];
  readonly excludePatterns: readonly string[];
  /** CSS selectors of elements that are not content. */
  readonly excludeSelectors: readonly string[];
  /** Addresses that differ in their query are different pages. */
  readonly keepQuery: boolean;
  /** Addresses that differ in a fragment which is a route (`#/guide`) are different pages. */
  readonly keepHash: boolean;
}

/** The data of a credential for websites: headers for its own origin, by lower-case name. */
export interface WebsiteCredential {
  readonly headers: Readonly<Record<string, string>>;
}

/** The addresses below which the headers may be sent: the folder of its prefix, and the start page if it is outside. */
function reachOf({ url, base, scope }: WebsiteSourceSpec): readonly URL[] {
  const first = new URL(url);
  const begin = new URL(base ?? (scope === "subpages" ? siteFolder(first.pathname) : "/"), first);
  if (begin.origin !== first.origin) return [first];
  const folder = new URL(".", begin);
  return first.pathname.startsWith(folder.pathname) ? [folder] : [folder, first];
}

const hour = 3_600_000;

export const websiteKind: SourceKind<WebsiteSourceSpec> = {
  kind: "website",
  sourceType: () => "websites",
  idPrefix: () => "websites",
  deriveId: ({ url }) => deriveSiteId("websites", new URL(url)),
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  reputation: ({ url }) => ({ from: "repositories", url }),
  hasPaths: false,
  order: "key",
  host: ({ url }) => new URL(url).host,
  credential: {
    field: "headers",
    audience: ({ url }) => ({ host: new URL(url).host }),
    ids: (spec) => reachOf(spec).map((url) => deriveSiteId("websites", url)),
  },
  address: fragmentAddress,
  unwanted: ({ excludeSelectors }) => excludeSelectors,
  repeatsMenus: true,
  // A thousand pages with the longest respected Crawl-delay take three hours.
  work: { queue: "crawl", timeout: 8 * hour },
};

import { deriveSiteId } from "../library.ts";
import { siteFolder } from "../links.ts";
import { fragmentAddress } from "./kind.ts";
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

/**
 * The addresses below which the headers may be sent: that where its pages begin, and that of the first page if it lies elsewhere. What
 * addresses begin with is a folder, or stands for all of the folder that it lies in.
 */
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
  // A thousand pages at the longest Crawl-delay that is respected take three hours.
  work: { queue: "crawl", timeout: 8 * hour },
};

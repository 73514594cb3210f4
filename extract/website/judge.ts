import { directivesOf } from "./parse-robots.ts";
import type { Links, ToAddress } from "./addresses.ts";
import type { Scan } from "./scan.ts";

/** A fetched HTML page. */
export interface FetchedPage {
  /** Its canonical address. */
  readonly key: string;
  /** Its address after redirects. */
  readonly url: string;
  readonly scan: Omit<Scan, "links"> & {
    readonly links: Links;
    readonly isEmpty: boolean;
    readonly byProduct?: string;
  };
  /** The header X-Robots-Tag, in lower case; "" without. */
  readonly robots: string;
}

/** The facts of a site that decide about its pages. */
export interface SiteFacts {
  /** Address of the site's first page. */
  readonly first: string;
  readonly toAddress: ToAddress;
  isWanted(address: string): boolean;
  /** The site's text for missing pages, as `unnumbered` of a scan; "" if it responds with 404. */
  readonly missing: string;
}

/**
 * The verdict on a page: it is read, needs a browser (`empty`), is left out, or failed. `links` are the wanted pages it links to. `isPage`
 * is false for a redirect or error page, which says nothing about the site.
 */
export type Judgement = { readonly links: readonly string[]; readonly isPage: boolean } & (
  | { readonly verdict: "read" | "empty" }
  | {
      readonly verdict: "left_out";
      readonly code: "robots" | "gone" | "elsewhere" | "not_documentation";
      readonly reason: string;
    }
  | { readonly verdict: "asks_password" }
);

/** Judges a fetched page. */
export function judge(
  { key, url, scan, robots }: FetchedPage,
  { first, toAddress, isWanted, missing }: SiteFacts,
): Judgement {
  const base = URL.parse(scan.base ?? "", url)?.href ?? url;
  const to = (href: string | undefined): string | undefined => (href === undefined ? undefined : toAddress(href, base));
  const { index, follow } = directivesOf(scan.robots, robots);
  const page = { links: follow ? scan.links.addresses : [], isPage: true };
  const standIn = { links: [], isPage: false };
  const forward = to(scan.forward);
  if (forward !== undefined && forward !== key)
    return { ...standIn, links: [forward].filter(isWanted), ...leftOut("elsewhere", `It redirects to ${forward}.`) };
  if (!index) return { ...page, ...leftOut("robots", "The page asks not to be indexed (noindex).") };
  if (missing !== "" && scan.unnumbered === missing && !scan.isEmpty)
    return { ...standIn, ...leftOut("gone", "It has the text that the site shows for missing pages.") };
  const canonical = to(scan.canonical);
  if (canonical !== undefined && canonical !== key && isWanted(canonical) && !isUsualMistake(canonical, first))
    return {
      ...page,
      links: [canonical, ...page.links],
      ...leftOut("elsewhere", `Its canonical address is ${canonical}.`),
    };
  if (scan.byProduct !== undefined) return { ...page, ...leftOut("not_documentation", scan.byProduct) };
  if (scan.asksPassword) return { ...page, verdict: "asks_password" };
  return { ...page, verdict: scan.isEmpty ? "empty" : "read" };
}

function leftOut(code: Extract<Judgement, { verdict: "left_out" }>["code"], reason: string) {
  return { verdict: "left_out", code, reason } as const;
}

/** True for a common mistake: many templates declare the first page as the canonical address of all. */
function isUsualMistake(canonical: string, first: string): boolean {
  const { pathname } = new URL(canonical);
  return pathname === "/" || pathname === new URL(first).pathname;
}

import { directivesOf } from "./robots.ts";
import type { Links, ToAddress } from "./addresses.ts";
import type { Scan } from "./scan.ts";

/** A page of HTML, by whichever way it was fetched. */
export interface Arrived {
  /** Where it is, in the one form of addresses. */
  readonly key: string;
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly scan: Omit<Scan, "links"> & {
    readonly links: Links;
    readonly isEmpty: boolean;
    readonly byProduct?: string;
  };
  /** The header X-Robots-Tag, in lower case; "" without. */
  readonly robots: string;
}

/** What a page is judged by. */
export interface JudgedBy {
  /** Address of the site's first page. */
  readonly first: string;
  readonly toAddress: ToAddress;
  isWanted(address: string): boolean;
  /** What the site says of pages that are not there, as `unnumbered` of a scan; "" where it answers 404. */
  readonly missing: string;
}

/**
 * What becomes of a page: it is read, needs a browser (`empty`), is left out, or has failed. `links` are addresses of wanted pages that it leads
 * to. `isPage` is false for what only stands in for one, and says nothing of the site.
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

/** Judges a page that was fetched. */
export function judge(
  { key, url, scan, robots }: Arrived,
  { first, toAddress, isWanted, missing }: JudgedBy,
): Judgement {
  const base = URL.parse(scan.base ?? "", url)?.href ?? url;
  const to = (href: string | undefined): string | undefined => (href === undefined ? undefined : toAddress(href, base));
  const { index, follow } = directivesOf(scan.robots, robots);
  const page = { links: follow ? scan.links.addresses : [], isPage: true };
  const standIn = { links: [], isPage: false };
  const forward = to(scan.forward);
  if (forward !== undefined && forward !== key)
    return { ...standIn, links: [forward].filter(isWanted), ...elsewhere(`It only leads to ${forward}.`) };
  if (!index) return { ...page, ...leftOut("robots", "The page asks not to be indexed.") };
  if (missing !== "" && scan.unnumbered === missing && !scan.isEmpty)
    return { ...standIn, ...leftOut("gone", "The site answers as it does for pages that are not there.") };
  const canonical = to(scan.canonical);
  if (canonical !== undefined && canonical !== key && isWanted(canonical) && !isUsualMistake(canonical, first))
    return { ...page, links: [canonical, ...page.links], ...elsewhere(`It is ${canonical}, as it says.`) };
  if (scan.byProduct !== undefined) return { ...page, ...leftOut("not_documentation", scan.byProduct) };
  if (scan.asksPassword) return { ...page, verdict: "asks_password" };
  return { ...page, verdict: scan.isEmpty ? "empty" : "read" };
}

function leftOut(code: "robots" | "gone" | "not_documentation", reason: string) {
  return { verdict: "left_out", code, reason } as const;
}

function elsewhere(reason: string) {
  return { verdict: "left_out", code: "elsewhere", reason } as const;
}

/** Many templates call the site's first page the canonical address of all. */
function isUsualMistake(canonical: string, first: string): boolean {
  const { pathname } = new URL(canonical);
  return pathname === "/" || pathname === new URL(first).pathname;
}

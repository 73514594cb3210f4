import { toFailureRecord, type Failure, type FailureCode } from "../../domain/failures.ts";
import type { PageRef, SourceItem } from "../../domain/ports.ts";
import type { Judgement } from "../../extract/website/judge.ts";
import type { Links } from "../../extract/website/addresses.ts";
import type { PageScan } from "./scanning.ts";
import type { Site } from "./site.ts";
import { sourceReason } from "../../extract/website/by-products.ts";
import { asksLogIn } from "../../extract/website/log-in.ts";

/** An address to visit. */
export interface QueuedAddress {
  readonly key: string;
  /** The page that links to it; absent if a list names it. */
  readonly from?: string;
  /** Date of its last change, from a list of the site. */
  readonly changed?: string;
  /** Address of its Markdown, from a list or a link of the site. It replaces a page that does not exist. */
  readonly markdown?: string;
  /** Its first outcome, if it was unreachable. */
  readonly failed?: Extract<SourceItem, { type: "failed" }>;
}

/** The result of a visit. */
export interface Visited {
  readonly item: SourceItem;
  /** Normalised addresses of wanted pages that it links to. */
  readonly links: readonly string[];
  /** Numbers of links that were left out. */
  readonly leftOut?: Omit<Links, "addresses">;
  /** The page and its links have not changed; the links were not read. */
  readonly isUnchanged?: true;
  /** Hash of its words, equal for pages with the same text. */
  readonly words?: string;
  /** Metadata and links of the page. */
  readonly scan?: PageScan;
  /** The site asks for a log-in there. This is no refusal by the host: other pages may be readable. */
  readonly asksLogIn?: true;
}

/** Visits an address. An unreadable page is an item, never an error. */
export type Visit = (target: QueuedAddress) => Promise<Visited>;

/** A page that was not read. */
export function unreadPageOf({ key, from }: QueuedAddress): PageRef {
  return withFrom({ key, url: key, mediaType: "", fingerprint: "", resource: key }, from);
}

/** A page with the page that currently links to it. */
export function withFrom({ from: _before, ...page }: PageRef, from: string | undefined): PageRef {
  return { ...page, ...(from !== undefined && { from }) };
}

/** The visit of a page that is left out. */
export function leftOut(
  page: PageRef,
  code: "robots" | "gone" | "elsewhere" | "not_text" | "not_documentation" | "too_large",
  reason: string,
): Visited {
  return { item: { type: "skipped", page, code, reason }, links: [] };
}

/** The visit of a page that only a browser can read. */
export function unrendered(page: PageRef): Visited {
  return { item: { type: "unrendered", page }, links: [] };
}

const withHeaders =
  "Submit the site with headers that give access, such as Cookie or Authorization: the field headers, or --headers-stdin of lectern add.";

/** The visit of a page in whose place the site asks for a log-in: it has failed, and keeps its earlier passages. */
function atLogIn(page: PageRef, { origin, pathname }: URL): Visited {
  const message = `${page.key} redirects to ${origin}${pathname}, which asks for a log-in. ${withHeaders}`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } }, links: [], asksLogIn: true };
}

/** Links and text of a judged page. */
export function contentOf({ links, isPage }: Judgement, scan: PageScan): Omit<Visited, "item"> {
  if (!isPage) return { links };
  const { addresses: _addresses, ...beyond } = scan.links;
  return { links, ...(links.length > 0 && { leftOut: beyond }), words: scan.words, scan };
}

/** The visit of a judged page that is not read; undefined if it is. `requested` is the requested page, `url` its final address. */
export function unreadVisit(
  judged: Judgement,
  scan: PageScan,
  page: PageRef,
  { requested, url }: { readonly requested: PageRef; readonly url: URL },
): Visited | undefined {
  const content = contentOf(judged, scan);
  if (judged.verdict === "left_out") return { ...leftOut(page, judged.code, judged.reason), ...content };
  if (judged.verdict !== "asks_password") return undefined;
  // The content is that of a log-in page, not of the requested page.
  if (page.key !== requested.key) return atLogIn(requested, url);
  const message = `${page.url} asks for a log-in. ${withHeaders}`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } }, ...content };
}

/** Failures after which a page is left out. After any other, it has failed and keeps its earlier passages. */
const leftOutAfter = new Map<FailureCode, Parameters<typeof leftOut>[1]>([
  ["library_too_large", "too_large"],
  ["source_not_found", "gone"],
  ["source_invalid", "not_text"],
]);

/** The visit of an unreadable page. Its validators are kept for the next refresh. */
export function unreadable(
  { context: { earlier }, validators }: Pick<Site, "context" | "validators">,
  target: QueuedAddress,
  failure: Failure,
): Visited {
  const page = { ...unreadPageOf(target), resource: earlier.page(target.key)?.page.resource ?? target.key };
  const sent = earlier.validators(page.resource);
  if (sent !== undefined) validators.set(page.resource, sent);
  const code = leftOutAfter.get(failure.code);
  if (code !== undefined) return leftOut(unreadPageOf(target), code, failure.message);
  return { item: { type: "failed", page, failure: toFailureRecord(failure) }, links: [] };
}

/** Why a page is not requested. */
export const refusedByRobots = "The robots.txt of the host refuses the page.";

/** The visit of a page that is not requested, because of its address; undefined for other pages. */
export async function visitWithoutRequest(
  { robots, spec }: Pick<Site, "robots" | "spec">,
  target: QueuedAddress,
): Promise<Visited | undefined> {
  const url = new URL(target.key);
  const place = unreadPageOf(target);
  const why = sourceReason(url.pathname);
  if (why !== undefined) return leftOut(place, "not_documentation", why);
  if (!(await robots.allows(url))) return leftOut(place, "robots", refusedByRobots);
  // For the host, a route of scripts is the same page: only a browser shows its content.
  return isRoute(spec, target.key) ? unrendered(place) : undefined;
}

/** Whether an address is a route of a site's scripts. */
export function isRoute({ keepHash }: Pick<Site["spec"], "keepHash">, key: string): boolean {
  return keepHash && new URL(key).hash !== "";
}

/** The normalised address of a requested page after redirects to `url`, or the visit of a page that is left out there. */
export async function resolveRedirect(
  { toAddress, isWanted, robots }: Pick<Site, "toAddress" | "isWanted" | "robots">,
  place: PageRef,
  url: URL,
): Promise<{ readonly address: string } | Visited> {
  const address = toAddress(url.href, place.key);
  if (address === undefined || !isWanted(address)) {
    if (asksLogIn(new URL(place.key), url)) return atLogIn(place, url);
    const why = "is not a page of the site. Submit it with another scope or base to read it.";
    return leftOut(place, "elsewhere", `It redirects to ${url.href}, which ${why}`);
  }
  if (address !== place.key && !(await robots.allows(new URL(address))))
    return leftOut(place, "robots", `It redirects to ${address}, which the robots.txt of the host refuses.`);
  return { address };
}

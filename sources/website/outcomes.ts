import { toFailureRecord } from "../../domain/failures.ts";
import type { Failure, FailureCode } from "../../domain/failures.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Judgement } from "../../extract/website/judge.ts";
import type { Links } from "../../extract/website/addresses.ts";
import type { PageScan } from "./scanning.ts";
import type { Site } from "./site.ts";
import { whySource } from "../../extract/website/by-products.ts";
import { asksLogIn } from "../../extract/website/log-in.ts";

/** An address that is to be visited. */
export interface Found {
  readonly key: string;
  /** The page that led to it; absent where a list did. */
  readonly from?: string;
  /** When it last changed, as a list of the site says. */
  readonly changed?: string;
  /** Where a list of the site has its Markdown, which is the page if there is nothing at the address. */
  readonly markdown?: string;
  /** Its first outcome, if it was unreachable then. */
  readonly failed?: Extract<SourceItem, { type: "failed" }>;
}

/** The result of a visit. */
export interface Visited {
  readonly item: SourceItem;
  /** Addresses of wanted pages that it leads to, in their one form. */
  readonly links: readonly string[];
  /** Links that were left out. */
  readonly leftOut?: Omit<Links, "addresses">;
  /** It has not changed, and neither have its links, which were not read. */
  readonly isUnchanged?: true;
  /** Hash of its words: equal for pages that say the same. */
  readonly words?: string;
  /** What a page says of itself. */
  readonly scan?: PageScan;
  /** The site asks for a log-in there. The host has not refused it: other pages may be read. */
  readonly asksLogIn?: true;
}

/** Makes the visit of an address. A page that cannot be read is an item, never an error. */
export type Visit = (found: Found) => Promise<Visited>;

/** A page of which only the address is known. */
export function placeOf({ key, from }: Found): PageRef {
  return withFrom({ key, url: key, mediaType: "", fingerprint: "", resource: key }, from);
}

/** A page that another one led to this time. */
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

/** The visit of a page in whose place the site asks for a log-in: it has failed, and keeps what was read of it. */
function atLogIn(page: PageRef, { origin, pathname }: URL): Visited {
  const message = `${page.key} redirects to ${origin}${pathname}, which asks for a log-in. Submit the site with headers that it lets in.`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } }, links: [], asksLogIn: true };
}

/** What a judged page says, apart from its outcome. */
export function saidBy({ links, isPage }: Judgement, scan: PageScan): Omit<Visited, "item"> {
  if (!isPage) return { links };
  const { addresses: _addresses, ...beyond } = scan.links;
  return { links, ...(links.length > 0 && { leftOut: beyond }), words: scan.words, scan };
}

/** The visit of a judged page that is not read; undefined where it is. `asked` is the page that was asked for, `url` where that led to. */
export function notRead(
  judged: Judgement,
  scan: PageScan,
  page: PageRef,
  { asked, url }: { readonly asked: PageRef; readonly url: URL },
): Visited | undefined {
  const said = saidBy(judged, scan);
  if (judged.verdict === "left_out") return { ...leftOut(page, judged.code, judged.reason), ...said };
  if (judged.verdict !== "asks_password") return undefined;
  // What it says is not about the page that was asked for.
  if (page.key !== asked.key) return atLogIn(asked, url);
  const message = `${page.url} asks for a password. Submit the site with headers that it lets in.`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } }, ...said };
}

/** The item of a page that was fetched: its content, unless passages of just that are kept. */
export function itemOf(
  { known }: Pick<ReadContext, "known">,
  page: PageRef,
  content: { readonly bytes: Uint8Array; readonly firstLine?: number },
): SourceItem {
  if (known(page)) return { type: "known", page };
  return { type: "page", page, revision: `sha256-${page.fingerprint}`, ...content };
}

/** Failures after which a page is left out. After any other one it has failed, and keeps what was read of it. */
const leftOutAfter = new Map<FailureCode, Parameters<typeof leftOut>[1]>([
  ["library_too_large", "too_large"],
  ["source_not_found", "gone"],
  ["source_invalid", "not_text"],
]);

/** The visit of a page that could not be read. Its validators are kept for the next refresh. */
export function unreadable(
  { context: { earlier }, validators }: Pick<Site, "context" | "validators">,
  found: Found,
  failure: Failure,
): Visited {
  const page = { ...placeOf(found), resource: earlier.page(found.key)?.page.resource ?? found.key };
  const sent = earlier.validators(page.resource);
  if (sent !== undefined) validators.set(page.resource, sent);
  const code = leftOutAfter.get(failure.code);
  if (code !== undefined) return leftOut(placeOf(found), code, failure.message);
  return { item: { type: "failed", page, failure: toFailureRecord(failure) }, links: [] };
}

/** Why a page is not asked for. */
export const refusedByRobots = "The robots.txt of the host refuses the page.";

/** The visit of a page for which its host is not asked, by its address alone; undefined where it is. */
export async function unasked(
  { robots, spec }: Pick<Site, "robots" | "spec">,
  found: Found,
): Promise<Visited | undefined> {
  const url = new URL(found.key);
  const place = placeOf(found);
  const why = whySource(url.pathname);
  if (why !== undefined) return leftOut(place, "not_documentation", why);
  if (!(await robots.allows(url))) return leftOut(place, "robots", refusedByRobots);
  // A route of scripts is the same page for the host: only a browser knows what it says.
  return isRoute(spec, found.key) ? unrendered(place) : undefined;
}

/** Whether an address is a route of a site's scripts. */
export function isRoute({ keepHash }: Pick<Site["spec"], "keepHash">, key: string): boolean {
  return keepHash && new URL(key).hash !== "";
}

/** Where a page that was asked for is after redirects to `url`, in the one form of addresses; or why it is left out there. */
export async function landing(
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

import { formats } from "../../extract/index.ts";
import { Failure, toFailureRecord } from "../../domain/failures.ts";
import type { EarlierRef, PageRef, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { hashOf } from "../pages/conditional-get.ts";
import { fetchText } from "../pages/fetching.ts";
import type { Fetched } from "../pages/fetching.ts";
import { whySource } from "../../extract/website/by-products.ts";
import { directivesOf } from "../../extract/website/directives.ts";
import { judge } from "../../extract/website/judge.ts";
import { asksLogIn } from "../../extract/website/log-in.ts";
import type { Judgement } from "../../extract/website/judge.ts";
import { scanHtml, scanMarkdown } from "./scanning.ts";
import type { PageScan } from "./scanning.ts";
import type { Links } from "../../extract/website/links.ts";
import type { Site } from "./site.ts";
import { createTwins } from "./twins.ts";

/** An address that is to be visited. */
export interface Found {
  readonly key: string;
  /** The page that led to it; absent where a list did. */
  readonly from?: string;
  /** When it last changed, as a list of the site says. */
  readonly changed?: string;
  /** Where a list of the site has its Markdown, which is the page if there is nothing at the address. */
  readonly markdown?: string;
  /** What came of it when it was asked for first, where it was out of reach then. */
  readonly failed?: Extract<SourceItem, { type: "failed" }>;
}

/** What a visit came to. */
export interface Visited {
  readonly item: SourceItem;
  /** Addresses of wanted pages that it leads to, in their one form. */
  readonly links: readonly string[];
  /** Links that were left out. */
  readonly leftOut?: Omit<Links, "addresses">;
  /** It is as it was, and so are its links, which were not read. */
  readonly isUnchanged?: true;
  /** Equal for pages that say the same. */
  readonly words?: string;
  /** What a page says of itself. */
  readonly scan?: PageScan;
  /** It asks for a log-in: the host has not refused it, other pages may be read. */
  readonly asksLogIn?: true;
}

/** Asked for where the pages are not all known from lists: pages of Markdown have no navigation. */
const htmlFirst = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8";
const markdownFirst = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8";

/** Why a page is not asked for. */
export const refusedByRobots = "The robots.txt of the host refuses the page.";
const outOfScope = "is no page of the site. Submit it with another scope or base to read it.";

/** How pages are visited: without a browser. */
export interface VisitOptions {
  /** All pages are known from lists. */
  readonly isListed: boolean;
  /** What a page says that is not there; "" where the site answers 404. */
  readonly missing: string;
}

/** Makes the visit of one address. A page that cannot be read is an item, never an error. */
export function createVisit(site: Site, { isListed, missing }: VisitOptions): (found: Found) => Promise<Visited> {
  const { client, context, threads, robots, validators } = site;
  const { signal, limits, earlier } = context;
  const accept = isListed ? markdownFirst : htmlFirst;
  const twins = createTwins(site);

  async function visit(found: Found): Promise<Visited> {
    const { key } = found;
    const known = earlier.page(key);
    const last = known?.page.fingerprint.startsWith(site.optionsHash) === true ? known : undefined;
    const place = placeOf(found);
    const why = whySource(new URL(key).pathname);
    if (why !== undefined) return leftOut(place, "not_documentation", why);
    if (!(await robots.allows(new URL(key)))) return leftOut(place, "robots", refusedByRobots);
    // A route of scripts is the same page for the host: only a browser knows what it says.
    if (site.spec.keepHash && new URL(key).hash !== "") return { item: { type: "unrendered", page: place }, links: [] };
    const kept = last && (await keptPage(found, last));
    if (kept) return kept;
    const fetched = await fetchText(client, new URL(key), { signal, maxBytes: limits.pageBytes, accept });
    if (fetched === "unchanged") throw new Error("Nothing was asked conditionally.");
    const landed = await landing(site, place, fetched.url);
    if ("item" in landed) return landed;
    const { address } = landed;
    return fetched.mediaType === "text/html"
      ? readHtml({ ...placeOf(found), key: address, url: address, resource: address }, fetched, found)
      : readOther({ ...placeOf(found), key: address, url: address, resource: address }, fetched, found);
  }

  /** The page where it is as it was: asked conditionally where it was found the last time. */
  async function keptPage({ from, changed }: Found, { page }: EarlierRef): Promise<Visited | undefined> {
    const { resource = page.key } = page;
    const known = earlier.validators(resource);
    if (known === undefined) return undefined;
    const ref = withFrom(page, from);
    if (known.rendered) {
      validators.set(resource, known);
      return { item: { type: "unrendered", page: ref }, links: [], isUnchanged: true };
    }
    const isListedUnchanged = changed !== undefined && changed === known.listed && !known.etag && !known.lastModified;
    const isAsked = known.etag !== undefined || known.lastModified !== undefined;
    if (!isListedUnchanged && !isAsked) return undefined;
    if (!isListedUnchanged && !(await isUnchanged(new URL(resource), known, page.key))) return undefined;
    validators.set(resource, { ...known, ...(changed !== undefined && { listed: changed }) });
    const { words = "" } = known;
    return { item: { type: "known", page: ref }, links: [], isUnchanged: true, words };
  }

  async function isUnchanged(resource: URL, known: Validators, key: string): Promise<boolean> {
    try {
      const request = { signal, maxBytes: limits.pageBytes, accept, validators: known };
      return (await fetchText(client, resource, request)) === "unchanged";
    } catch (error) {
      // A twin may go while its page stays.
      if (error instanceof Failure && error.code === "source_not_found" && resource.href !== key) return false;
      throw error;
    }
  }

  async function readHtml(place: PageRef, fetched: Fetched, visited: Found): Promise<Visited> {
    const { url, bytes, robots: header } = fetched;
    const scan = await scanHtml(threads, { url: url.href, bytes, spec: site.spec });
    const judged = judge({ key: place.key, url: url.href, scan, robots: header }, { ...site, missing });
    const said = saidBy(judged, scan);
    // What it says is not about the page that was asked for.
    if (judged.verdict === "asks_password" && place.key !== visited.key) return atLogIn(placeOf(visited), url);
    if (judged.verdict === "left_out" || judged.verdict === "asks_password")
      return { ...refusedBy(judged, place), ...said };
    const twin = await twins.of(place.key, url, scan.markdown);
    const { words } = scan;
    if (twin) return { ...readPage({ ...place, resource: twin.url.href }, twin, visited, words), ...said };
    if (judged.verdict === "empty") {
      validators.set(place.resource ?? place.key, { rendered: true });
      return { item: { type: "unrendered", page: place }, ...said };
    }
    return { ...readPage(place, fetched, visited, words), ...said };
  }

  async function readOther(place: PageRef, fetched: Fetched, visited: Found): Promise<Visited> {
    const { url, bytes } = fetched;
    const { addresses, ...beyond } = await scanMarkdown(threads, { url: url.href, bytes, spec: site.spec });
    const found = { links: addresses, leftOut: beyond };
    if (!directivesOf("", fetched.robots).index)
      return { ...leftOut(place, "robots", "The page asks not to be indexed."), ...found };
    return { ...readPage(place, fetched, visited), ...found };
  }

  function readPage(
    place: PageRef,
    { bytes, mediaType, validators: sent }: Fetched,
    { changed }: Found,
    words = "",
  ): Visited {
    const fingerprint = `${site.optionsHash}${hashOf(Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]))}`;
    const page: PageRef = { ...place, mediaType, fingerprint };
    const listed = changed === undefined ? {} : { listed: changed };
    validators.set(page.resource ?? page.key, { ...sent, ...listed, ...(words !== "" && { words }) });
    if (context.known(page)) return { item: { type: "known", page }, links: [] };
    const lines = formats.get(mediaType)?.hasLines === true ? { firstLine: 1 } : {};
    return { item: { type: "page", page, bytes, revision: `sha256-${fingerprint}`, ...lines }, links: [] };
  }

  const visitSafely = async (found: Found): Promise<Visited> => {
    try {
      return await visit(found);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const place = placeOf(found);
      const resource = earlier.page(found.key)?.page.resource ?? found.key;
      const known = earlier.validators(resource);
      if (known !== undefined) validators.set(resource, known);
      if (error.code === "source_not_found" && found.markdown !== undefined && found.markdown !== found.key)
        return visitSafely({ key: found.markdown });
      if (error.code === "library_too_large") return leftOut(place, "too_large", error.message);
      if (error.code === "source_not_found") return leftOut(place, "gone", error.message);
      if (error.code === "source_invalid") return leftOut(place, "not_text", error.message);
      return { item: { type: "failed", page: { ...place, resource }, failure: toFailureRecord(error) }, links: [] };
    }
  };
  return visitSafely;
}

/** A page of which only the address is known. */
export function placeOf({ key, from }: Found): PageRef {
  return withFrom({ key, url: key, mediaType: "", fingerprint: "", resource: key }, from);
}

function withFrom({ from: _before, ...page }: PageRef, from: string | undefined): PageRef {
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

/** Where a page that was asked for is, in the one form of addresses; or why it is left out there. */
export async function landing(
  { toAddress, isWanted, robots }: Site,
  place: PageRef,
  url: URL,
): Promise<{ readonly address: string } | Visited> {
  const address = toAddress(url.href, place.key);
  if ((address === undefined || !isWanted(address)) && asksLogIn(new URL(place.key), url)) return atLogIn(place, url);
  if (address === undefined || !isWanted(address))
    return leftOut(place, "elsewhere", `It redirects to ${url.href}, which ${outOfScope}`);
  if (address !== place.key && !(await robots.allows(new URL(address))))
    return leftOut(place, "robots", `It redirects to ${address}, which the robots.txt of the host refuses.`);
  return { address };
}

/** The visit of a page in whose place the site asks for a log-in: it has failed, and keeps what was read of it. */
export function atLogIn(page: PageRef, { origin, pathname }: URL): Visited {
  const message = `${page.key} redirects to ${origin}${pathname}, which asks for a log-in. Submit the site with headers that it lets in.`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } }, links: [], asksLogIn: true };
}

/** What a page that was judged says, beside what becomes of it. */
export function saidBy({ links, isPage }: Judgement, scan: PageScan): Omit<Visited, "item"> {
  if (!isPage) return { links };
  const { addresses: _addresses, ...beyond } = scan.links;
  return { links, ...(links.length > 0 && { leftOut: beyond }), words: scan.words, scan };
}

/** The item of a page that is not read. */
export function refusedBy(
  judged: Extract<Judgement, { verdict: "left_out" | "asks_password" }>,
  page: PageRef,
): Pick<Visited, "item"> {
  if (judged.verdict === "left_out") return leftOut(page, judged.code, judged.reason);
  const message = `${page.url} asks for a password. Submit the site with headers that it lets in.`;
  return { item: { type: "failed", page, failure: { code: "source_refused", message } } };
}

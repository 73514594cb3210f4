import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { EarlierRef, PageRef, SourceItem } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/generation.ts";
import { fetchText, hashOf } from "../fetching.ts";
import type { Fetched } from "../fetching.ts";
import { directivesOf } from "../../../extract/website/directives.ts";
import { scanHtml, scanMarkdown } from "./scanning.ts";
import type { PageScan } from "./scanning.ts";
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
}

/** What a visit came to. */
export interface Visited {
  readonly item: SourceItem;
  /** Addresses of pages that it leads to, in their one form. */
  readonly links: readonly string[];
  /** It is as it was, and so are its links, which were not read. */
  readonly isUnchanged?: true;
  /** Equal for pages that say the same. */
  readonly words?: string;
  /** What a page says of itself. */
  readonly scan?: PageScan;
}

/** Asked for where the pages are not all known from lists: pages of Markdown have no navigation. */
const htmlFirst = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8";
const markdownFirst = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8";

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
    if (!(await robots.allows(new URL(key))))
      return leftOut(place, "robots", "The robots.txt of the host refuses the page.");
    // A route of scripts is the same page for the host: only a browser knows what it says.
    if (site.spec.keepHash && new URL(key).hash !== "") return { item: { type: "unrendered", page: place }, links: [] };
    const kept = last && (await keptPage(found, last));
    if (kept) return kept;
    const fetched = await fetchText(client, new URL(key), { signal, maxBytes: limits.pageBytes, accept });
    if (fetched === "unchanged") throw new Error("Nothing was asked conditionally.");
    const address = site.toAddress(fetched.url.href, key);
    if (address === undefined || !site.isWanted(address))
      return leftOut(place, "elsewhere", `It redirects to ${fetched.url.href}, which ${outOfScope}`);
    if (address !== key && !(await robots.allows(new URL(address))))
      return leftOut(place, "robots", `It redirects to ${address}, which the robots.txt of the host refuses.`);
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
    return { item: { type: "known", page: ref }, links: [], isUnchanged: true };
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

  async function readHtml(place: PageRef, fetched: Fetched, found: Found): Promise<Visited> {
    const scan = await scanHtml(threads, { url: place.key, bytes: fetched.bytes });
    const base = URL.parse(scan.base ?? "", fetched.url.href)?.href ?? fetched.url.href;
    const to = (href: string): string | undefined => site.toAddress(href, base);
    const { index, follow } = directivesOf(scan.robots, fetched.robots);
    const links = !follow ? [] : linksIn(scan, fetched.url.href, site.toAddress);
    const said = { links, words: scan.words, scan };
    const forward = scan.forward === undefined ? undefined : to(scan.forward);
    if (forward !== undefined && forward !== place.key)
      return { ...leftOut(place, "elsewhere", `It only leads to ${forward}.`), links: [forward] };
    if (!index) return { ...leftOut(place, "robots", "The page asks not to be indexed."), ...said };
    if (missing !== "" && scan.unnumbered === missing && !scan.isEmpty)
      return leftOut(place, "gone", "The site answers as it does for pages that are not there.");
    const canonical = scan.canonical === undefined ? undefined : to(scan.canonical);
    if (canonical !== undefined && isOtherName(canonical, place.key, site))
      return {
        ...leftOut(place, "elsewhere", `It is ${canonical}, as it says.`),
        ...said,
        links: [canonical, ...links],
      };
    if (scan.asksPassword) {
      const message = `${place.url} asks for a password. Submit the site with headers that it lets in.`;
      return { item: { type: "failed", page: place, failure: { code: "source_refused", message } }, ...said };
    }
    const twin = await twins.of(place.key, fetched.url, scan.markdown);
    if (twin) return { ...readPage({ ...place, resource: twin.url.href }, twin, found), ...said };
    if (scan.isEmpty) {
      validators.set(place.resource ?? place.key, { rendered: true });
      return { item: { type: "unrendered", page: place }, ...said };
    }
    return { ...readPage(place, fetched, found), ...said };
  }

  async function readOther(place: PageRef, fetched: Fetched, found: Found): Promise<Visited> {
    const linked = await scanMarkdown(threads, { url: place.key, bytes: fetched.bytes });
    const links = addresses(linked, (href) => site.toAddress(href, fetched.url.href));
    if (!directivesOf("", fetched.robots).index)
      return { ...leftOut(place, "robots", "The page asks not to be indexed."), links };
    return { ...readPage(place, fetched, found), links };
  }

  function readPage(place: PageRef, { bytes, mediaType, validators: sent }: Fetched, { changed }: Found): Visited {
    const fingerprint = `${site.optionsHash}${hashOf(Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]))}`;
    const page: PageRef = { ...place, mediaType, fingerprint };
    validators.set(page.resource ?? page.key, { ...sent, ...(changed !== undefined && { listed: changed }) });
    if (context.known(page)) return { item: { type: "known", page }, links: [] };
    const lines = mediaType === "text/html" ? {} : { firstLine: 1 };
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

function leftOut(
  page: PageRef,
  code: "robots" | "gone" | "elsewhere" | "not_text" | "too_large",
  reason: string,
): Visited {
  return { item: { type: "skipped", page, code, reason }, links: [] };
}

/** Addresses of pages that a page of HTML links to, in their one form. */
export function linksIn(
  { links, base = "" }: Pick<PageScan, "links" | "base">,
  page: string,
  toAddress: Site["toAddress"],
): string[] {
  const from = URL.parse(base, page)?.href ?? page;
  return addresses(links, (href) => toAddress(href, from));
}

function addresses(links: readonly string[], to: (href: string) => string | undefined): string[] {
  return [...new Set(links.map(to).filter((address) => address !== undefined))];
}

/**
 * Whether a canonical address names the same page otherwise. One that is the site's first page, or out of scope, is a mistake
 * that many templates have.
 */
function isOtherName(canonical: string, key: string, { spec, isWanted }: Site): boolean {
  const { pathname } = new URL(canonical);
  return canonical !== key && isWanted(canonical) && pathname !== "/" && pathname !== new URL(spec.url).pathname;
}

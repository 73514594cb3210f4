import { formats } from "../../extract/index.ts";
import { Failure } from "../../domain/failures.ts";
import type { PageRef } from "../../domain/ports.ts";
import { hashOf, fetchText, markdownTwinOf, unconditional, type Fetched } from "../lib/pages/fetching.ts";
import { itemOf } from "../lib/pages/revision.ts";
import { directivesOf } from "../../extract/website/parse-robots.ts";
import { judge } from "../../extract/website/judge.ts";
import {
  resolveRedirect,
  visitWithoutRequest,
  leftOut,
  unreadVisit,
  unreadPageOf,
  contentOf,
  unreadable,
  unrendered,
  withFrom,
  type QueuedAddress,
  type Visit,
  type Visited,
} from "./outcomes.ts";
import { scanHtml, scanMarkdown, type PageScan } from "./scanning.ts";
import type { Site } from "./site.ts";
import type { CrawlState } from "./crawl-state.ts";
import type { Validators } from "../../domain/generation.ts";

/** The header Accept if lists don't name all pages: Markdown pages have no navigation to follow. */
const htmlFirst = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8";
const markdownFirst = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8";

/** Creates the visit of the first pass, which reads pages without a browser. */
export function createVisit(site: Site, { isListed, missing }: CrawlState["lists"]): Visit {
  const { client, context, threads, validators } = site;
  const { signal, limits } = context;
  const accept = isListed ? markdownFirst : htmlFirst;
  const findTwin = createTwinSearch(site);

  /** @throws Failure if the page cannot be read */
  async function visit(target: QueuedAddress): Promise<Visited> {
    const early = (await visitWithoutRequest(site, target)) ?? (await keptPage(site, target, accept));
    if (early) return early;
    const request = { signal, maxBytes: limits.pageBytes, accept };
    const fetched = unconditional(await fetchText(client, new URL(target.key), request));
    const landed = await resolveRedirect(site, unreadPageOf(target), fetched.url);
    if ("item" in landed) return landed;
    const { address } = landed;
    const page = { ...unreadPageOf(target), key: address, url: address, resource: address };
    return fetched.mediaType === "text/html" ? readHtml(page, fetched, target) : readOther(page, fetched, target);
  }

  async function readHtml(place: PageRef, fetched: Fetched, target: QueuedAddress): Promise<Visited> {
    const { url, bytes, robots } = fetched;
    const scan = await scanHtml(threads, { url: url.href, bytes, spec: site.spec });
    const judged = judge({ key: place.key, url: url.href, scan, robots }, { ...site, first: site.spec.url, missing });
    const early = unreadVisit(judged, scan, place, { requested: unreadPageOf(target), url });
    if (early) return early;
    const content = contentOf(judged, scan);
    const twin = await findTwin(place.key, url, scan.markdown ?? target.markdown);
    if (twin && hasContentOf(twin, scan))
      return { ...readPage({ ...place, resource: twin.url.href }, twin, target, scan.words), ...content };
    if (judged.verdict === "empty") {
      validators.set(place.key, { rendered: true });
      return { ...unrendered(place), ...content };
    }
    return { ...readPage(place, fetched, target, scan.words), ...content };
  }

  async function readOther(place: PageRef, fetched: Fetched, target: QueuedAddress): Promise<Visited> {
    const { url, bytes, robots } = fetched;
    const { addresses: links, ...beyond } = await scanMarkdown(threads, { url: url.href, bytes, spec: site.spec });
    const visited = directivesOf("", robots).index
      ? readPage(place, fetched, target)
      : leftOut(place, "robots", "The page asks not to be indexed (noindex).");
    return { ...visited, links, leftOut: beyond };
  }

  function readPage(
    place: PageRef,
    { bytes, mediaType, validators: sent }: Fetched,
    { changed }: QueuedAddress,
    words = "",
  ): Visited {
    const fingerprint = `${site.optionsHash}${hashOf(Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]))}`;
    const listed = changed === undefined ? {} : { listed: changed };
    validators.set(place.resource ?? place.key, { ...sent, ...listed, ...(words !== "" && { words }) });
    const lines = formats.get(mediaType)?.hasLines === true ? { firstLine: 1 } : {};
    return { item: itemOf(context, { ...place, mediaType, fingerprint }, { bytes, ...lines }), links: [] };
  }

  return async function visitSafely(target): Promise<Visited> {
    try {
      return await visit(target);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const { key, markdown = key } = target;
      const visited = unreadable(site, target, error);
      return error.code === "source_not_found" && markdown !== key ? visitSafely({ key: markdown }) : visited;
    }
  };
}

/** Whether a Markdown twin is no stub, and no source with placeholders for most of its text. */
function hasContentOf({ bytes }: Fetched, { contentLength }: Pick<PageScan, "contentLength">): boolean {
  return new TextDecoder().decode(bytes).replace(/\s+/g, "").length >= contentLength * twinShare;
}

/** Minimum size of a Markdown twin, as a share of the content of its page. */
const twinShare = 0.25;

/** Consecutive pages without a Markdown twin after which no more twins are requested from a host. */
const maxMissing = 3;

/**
 * Creates the search for the Markdown twin of an HTML page: at the address in the page (`named`), or else at the usual one. It returns
 * undefined without a twin.
 */
function createTwinSearch({ client, context: { signal, limits }, toAddress, isWanted, robots }: Site) {
  const missing = new Map<string, number>();

  const fetchTwin = async (url: URL): Promise<Fetched | undefined> => {
    try {
      if (!(await robots.allows(url))) return undefined;
      const accept = "text/markdown, text/plain;q=0.9";
      const twin = unconditional(await fetchText(client, url, { signal, maxBytes: limits.pageBytes, accept }));
      return twin.mediaType === "text/html" ? undefined : twin;
    } catch (error) {
      // Hosts answer in many ways if they have no twin; the page itself was read.
      if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
      throw error;
    }
  };

  return async (key: string, page: URL, named: string | undefined): Promise<Fetched | undefined> => {
    if (named !== undefined) {
      const address = toAddress(named, page.href);
      return address === undefined || !isWanted(address) ? undefined : fetchTwin(new URL(named, page.href));
    }
    const count = missing.get(page.host) ?? 0;
    if (count >= maxMissing || new URL(key).hash !== "") return undefined;
    const twin = await fetchTwin(markdownTwinOf(page));
    missing.set(page.host, twin ? 0 : count + 1);
    return twin;
  };
}

/**
 * The visit of a page that has not changed since the live generation, by a conditional request to its earlier address or by a list of the
 * site; undefined if it has to be fetched.
 */
export async function keptPage(site: Site, target: QueuedAddress, accept: string): Promise<Visited | undefined> {
  const { key, from, changed } = target;
  const { context, validators } = site;
  const page = context.earlier.page(key)?.page;
  if (page?.fingerprint.startsWith(site.optionsHash) !== true) return undefined;
  const { resource = page.key } = page;
  const sent = context.earlier.validators(resource);
  if (sent === undefined) return undefined;
  const ref = withFrom(page, from);
  if (sent.rendered) {
    validators.set(resource, sent);
    return { ...unrendered(ref), isUnchanged: true };
  }
  const hasValidators = sent.etag !== undefined || sent.lastModified !== undefined;
  const isUnchanged = hasValidators
    ? await isNotModified(site, new URL(resource), { accept, sent, key: page.key })
    : changed !== undefined && changed === sent.listed;
  if (!isUnchanged) return undefined;
  validators.set(resource, { ...sent, ...(changed !== undefined && { listed: changed }) });
  return { item: { type: "known", page: ref }, links: [], isUnchanged: true, words: sent.words ?? "" };
}

async function isNotModified(
  { client, context: { limits, signal } }: Site,
  resource: URL,
  { accept, sent, key }: { readonly accept: string; readonly sent: Validators; readonly key: string },
): Promise<boolean> {
  try {
    const request = { signal, maxBytes: limits.pageBytes, accept, validators: sent };
    return (await fetchText(client, resource, request)) === "unchanged";
  } catch (error) {
    // A Markdown twin may disappear while its page remains.
    if (error instanceof Failure && error.code === "source_not_found" && resource.href !== key) return false;
    throw error;
  }
}

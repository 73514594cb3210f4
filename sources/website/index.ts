import { z } from "zod";
import { websiteScopes, type WebsiteCredential, type WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext, Source, SourceItem, PageRef } from "../../domain/ports.ts";
import type { Browser, RenderedPage } from "../lib/browser/browser.ts";
import { hashOf, statusFailure, fetchText } from "../lib/pages/fetching.ts";
import { itemOf, revisionOf } from "../lib/pages/revision.ts";
import { sourceSettings } from "../lib/pages/settings.ts";
import type { SourceReader, SourceTools } from "../source-reader.ts";
import { crawl } from "./crawl.ts";
import { createPathTest, scanHtml } from "./scanning.ts";
import { listedPages, soft404Text, noSeeds, searchedPages, missingPage, type Seeds } from "./seeds.ts";
import { openSite, type Site } from "./site.ts";
import { openState, remember, type CrawlState } from "./crawl-state.ts";
import { createVisit } from "./visit.ts";
import {
  leftOut,
  unreadVisit,
  unreadPageOf,
  contentOf,
  unrendered,
  isRoute,
  refusedByRobots,
  resolveRedirect,
  type Visit,
  type Visited,
  type QueuedAddress,
} from "./outcomes.ts";
import { Failure, toFailureRecord } from "../../domain/failures.ts";
import { maxAddressLength, maxLinks } from "../../extract/website/addresses.ts";
import { judge } from "../../extract/website/judge.ts";

/** The route of a site's first page. */
const firstRoute = /^#!?\/$/;

/**
 * Creates the visit of the second pass: it reads pages in a browser that are empty without one, and tries other pages without a browser
 * first. `visit` is that of the first pass.
 */
function createRendering(site: Site, browser: Browser | null, visit: Visit): Visit {
  const { context, spec, validators, threads, optionsHash, client, headersFor, robots } = site;
  const { signal, limits } = context;
  const unrenderedKeys = new Set((context.unrendered ?? []).map(({ key }) => key));
  /** Text of the site's soft 404, for addresses with and without a route. */
  const missing = new Map<boolean, Promise<string>>();

  async function load(chromium: Browser, address: URL): Promise<RenderedPage> {
    await client.turn(address.host, signal);
    const headers = headersFor(address);
    return chromium.render(address, { signal, maxBytes: limits.pageBytes, ...(headers && { headers }) });
  }

  /** The text that the site's scripts show for a missing page; "" if its server answers 404. */
  async function findMissing(chromium: Browser, isRouted: boolean): Promise<string> {
    const address = missingPage(site, isRouted);
    if (!(await robots.allows(address))) return "";
    try {
      const { url, status, html } = await load(chromium, address);
      // Scripts that navigate to another route show no soft 404.
      if (status !== 200 || (isRouted && url.hash !== address.hash)) return "";
      const scan = await scanHtml(threads, { url: url.href, bytes: Buffer.from(html), spec });
      return scan.isEmpty ? "" : scan.unnumbered;
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      // If the page fails to load, there is no text to compare with.
      return "";
    }
  }

  async function render(target: QueuedAddress): Promise<Visited> {
    const place = unreadPageOf(target);
    if (!(await robots.allows(new URL(place.key)))) return leftOut(place, "robots", refusedByRobots);
    if (browser === null) return unrendered(place);
    const isRouted = isRoute(spec, place.key);
    const whenMissing = missing.get(isRouted) ?? findMissing(browser, isRouted);
    missing.set(isRouted, whenMissing);
    // Scripts may show the first route in place of a missing one, so both have the same text.
    const text = isRouted && firstRoute.test(new URL(place.key).hash) ? "" : await whenMissing;
    const { url, status, html, xRobotsTag = "" } = await load(browser, new URL(place.key));
    if (status === 404 || status === 410) return leftOut(place, "gone", `The page does not exist (${status}).`);
    const landed = await resolveRedirect(site, place, url);
    if ("item" in landed) return landed;
    const { address: key } = landed;
    const bytes = Buffer.from(html);
    const scan = await scanHtml(threads, { url: url.href, bytes, spec });
    const arrived = { key, url: url.href, scan, robots: xRobotsTag.toLowerCase() };
    const judged = judge(arrived, { ...site, first: spec.url, missing: text });
    const fingerprint = `${optionsHash}${hashOf(bytes)}`;
    const page: PageRef = { ...place, key, url: key, resource: key, mediaType: "text/html", fingerprint };
    const early = unreadVisit(judged, scan, page, { requested: place, url });
    if (early) return early;
    validators.set(key, { rendered: true });
    return { item: itemOf(context, page, { bytes }), ...contentOf(judged, scan) };
  }

  return async (target) => {
    // For the host, a route of scripts is the same page.
    if (!unrenderedKeys.has(target.key) && !isRoute(spec, target.key)) {
      const visited = await visit(target);
      if (visited.item.type !== "unrendered") return visited;
    }
    try {
      return await render(target);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const page = unreadPageOf(target);
      validators.set(page.key, { rendered: true });
      return { item: { type: "failed", page, failure: toFailureRecord(error) }, links: [] };
    }
  };
}

/** Maximum number of notes about unreadable lists. */
const maxListNotes = 3;

/** Sentences about addresses of a site that were not visited. */
function notesOf(
  { omitted, lists }: Pick<CrawlState, "omitted" | "lists">,
  { maxPages, maxDepth }: Pick<WebsiteSourceSpec, "maxPages" | "maxDepth">,
  isPreview: boolean,
): string[] {
  const sentences: [number, string][] = [
    // A preview lists these addresses.
    [
      isPreview ? 0 : omitted.pages,
      `exceed the limit of ${maxPages} pages. Raise maxPages, or choose some with includePatterns.`,
    ],
    [omitted.depth, `are more than ${maxDepth} links away from the first page. Raise maxDepth to read them.`],
    [omitted.versions, "document other versions, or are translations. Submit their folder to read them."],
    [omitted.more, `come after the first ${maxLinks} of a page or list. Name their folders in includePatterns.`],
    [omitted.long, `are longer than ${maxAddressLength} characters.`],
    [omitted.traps, "look generated: hundreds have the same form. Name them in includePatterns to read more."],
  ];
  return sentences
    .filter(([count]) => count > 0)
    .map(([count, why]) => `${count} ${count === 1 ? "address" : "addresses"} of the site ${why}`)
    .concat(omitted.links === 0 ? [] : [notRemembered(omitted.links)])
    .concat(lists.shows === undefined ? [] : [showsDescription(lists.shows)])
    .concat(lists.outOfReach.slice(0, maxListNotes).map((reason) => `A list of pages could not be read: ${reason}`));
}

function showsDescription({ page, description }: NonNullable<CrawlState["lists"]["shows"]>): string {
  return `${page} shows an API description, which is read better by itself: add ${description} as openapi.`;
}

/** A note with the number of links: several of them may have the same address. */
function notRemembered(links: number): string {
  const what = links === 1 ? "1 more link was" : `${links} more links were`;
  return `The site has more addresses than a crawl can remember, and ${what} not followed. Choose a part of it with scope or includePatterns.`;
}

/** The reader of websites. */
export const websiteReader: SourceReader<WebsiteSourceSpec, WebsiteCredential> = {
  spec: z.object({
    kind: z.literal("website"),
    url: z.url({ protocol: /^https?$/ }),
    base: z.url({ protocol: /^https?$/ }).nullable(),
    scope: z.enum(websiteScopes),
    maxPages: z.int().min(1),
    maxDepth: z.int().min(0),
    includePatterns: z.array(z.string()),
    excludePatterns: z.array(z.string()),
    excludeSelectors: z.array(z.string()),
    keepQuery: z.boolean(),
    keepHash: z.boolean(),
  }),
  create: createWebsiteSource,
};

/** Creates the source that reads the pages of a website: its first page, pages in its lists, and pages that these link to. */
function createWebsiteSource({
  client,
  politeClient,
  browser,
  guard,
  pool,
}: SourceTools): Source<WebsiteSourceSpec, WebsiteCredential> {
  return {
    kind: "website",

    async resolve(spec, _ref, { credential, signal }) {
      const url = new URL(spec.url);
      guard.checkUrl(url);
      createPathTest(spec);
      // A crawl finds out by itself whether the site exists, but a credential is tested first.
      if (credential !== null) {
        const { status, discard } = await client.request(url, { headers: credential.headers, signal });
        discard();
        if (status !== 200) throw statusFailure(url, status);
      }
      return { revision: "", ref: null, location: spec.url, refs: [] };
    },

    async *read(spec, _state, context) {
      const site = await openSite(spec, context, { client: politeClient(), pool });
      const pages: PageRef[] = [];
      const state = await openState(site);
      for await (const item of context.unrendered ? renderSite(site, state, browser()) : readSite(site, state)) {
        pages.push(item.page);
        yield item;
      }
      context.account?.({
        revision: revisionOf(pages),
        validators: Object.fromEntries(site.validators),
        notes: notesOf(state, spec, context.preview !== undefined),
        ...(state.settings && { settings: state.settings }),
      });
    },
  };
}

async function* readSite(site: Site, state: CrawlState): AsyncGenerator<SourceItem> {
  const { context } = site;
  if (state.visits === 0) await begin(site, state);
  else yield* earlierItems(state, context);
  const visitPage = createVisit(site, state.lists);
  let hasSettings = false;
  /** Visits a page, and updates the library's settings from it. */
  const visit: Visit = async (target) => {
    const visited = await visitPage(target);
    // The title of a log-in form is not the site's.
    const scan = visited.item.type === "failed" ? undefined : visited.scan;
    const { apiDescription: description } = visited.scan ?? {};
    if (description !== undefined) state.lists.shows ??= { page: visited.item.page.url, description };
    if (state.depth > 0 && state.settings?.title !== undefined && scan) {
      const title = sharedName(state.settings.title, scan.title);
      state.settings = { ...state.settings, title };
    }
    // Only the first level has one page.
    if (!hasSettings && state.depth === 0) {
      hasSettings = true;
      const settings = scan ? sourceSettings(scan.siteName || scan.title, scan.description) : context.earlier.settings;
      if (settings) state.settings = settings;
      if (scan && !state.lists.isListed) addAll(state, await searchedPages(site, scan));
    }
    return visited;
  };
  yield* crawl(site, state, { visit, linksOf: (key) => linksOfPage(site, key) });
}

/** Reads pages that need a browser, and pages that these link to and the first pass has not read. */
async function* renderSite(site: Site, state: CrawlState, browser: Browser | null): AsyncGenerator<SourceItem> {
  const { unrendered = [], read = new Set<string>() } = site.context;
  if (state.visits === 0) {
    for (const key of read) state.seen.add(key);
    for (const { key, from } of unrendered) add(state, { key, ...(from !== undefined && { from }) });
    state.level = state.next.splice(0);
    state.visits = read.size;
  } else yield* earlierItems(state, site.context);
  const visit = createRendering(site, browser, createVisit(site, state.lists));
  yield* crawl(site, state, { visit, linksOf: async () => [] });
}

/** Puts the first page into the first level, and pages from lists into the second. */
async function begin(site: Site, state: CrawlState): Promise<void> {
  const key = site.toAddress(site.arrival, site.arrival) ?? site.arrival;
  state.seen.add(key);
  state.level.push({ key });
  // Pages from lists have depth 1.
  const listed = site.spec.maxDepth > 0 ? await listedPages(site) : noSeeds;
  state.lists.isListed = listed.pages.length > 1;
  state.lists.missing = await soft404Text(site);
  addAll(state, listed);
}

function addAll(state: CrawlState, { pages, more, tooLong, outOfReach }: Seeds): void {
  for (const page of pages) add(state, page);
  state.omitted.more += more;
  state.omitted.long += tooLong;
  state.lists.outOfReach.push(...outOfReach);
}

function add(state: CrawlState, page: CrawlState["next"][number]): void {
  if (remember(state, page.key)) state.next.push(page);
}

/** The items of an earlier attempt. A page whose result was not stored yet is visited again. */
function* earlierItems(state: CrawlState, context: ReadContext): Generator<SourceItem> {
  const done = state.done.splice(0);
  for (const item of done) {
    if (item.type === "known" && !context.known(item.page)) {
      const { key, from } = item.page;
      state.level.unshift({ key, ...(from !== undefined && { from }) });
      continue;
    }
    state.done.push(item);
    yield item;
  }
}

/** The name of a site: the common end of the titles of two pages after a separator. The first title without a common end. */
function sharedName(title: string, other: string): string {
  const end = Math.max(...separators.map((separator) => title.lastIndexOf(separator)));
  const name = title.slice(end + 3);
  return end > 0 && title !== other && other.endsWith(title.slice(end)) ? name : title;
}

const separators = [" | ", " - ", " \u2013 ", " \u2014 ", " \u00B7 "];

/** Reads only the links of a page to wanted pages, normalised. An unreadable page has none. */
async function linksOfPage({ client, context, threads, spec }: Site, key: string): Promise<readonly string[]> {
  const { signal, limits } = context;
  try {
    const request = { signal, maxBytes: limits.pageBytes, accept: "text/html" };
    const fetched = await fetchText(client, new URL(key), request);
    if (fetched === "unchanged" || fetched.mediaType !== "text/html") return [];
    const { links } = await scanHtml(threads, { url: fetched.url.href, bytes: fetched.bytes, spec });
    return links.addresses;
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return [];
  }
}

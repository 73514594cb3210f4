import { z } from "zod";
import type { WebsiteCredential, WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { websiteScopes } from "../../domain/kinds/index.ts";
import type { ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { LibrarySettings } from "../../domain/source.ts";
import type { Browser } from "../lib/browser/browser.ts";
import { hashOf, statusFailure } from "../lib/pages/conditional-get.ts";
import { asOneLine } from "../../extract/sentences.ts";
import type { SourceReader, SourceTools } from "../reader/reader.ts";
import { crawl } from "./crawl.ts";
import { linksOfPage } from "./links.ts";
import { notesOf } from "./unvisited.ts";
import { createPathTest } from "./patterns.ts";
import { listedPages, soft404Text, noSeeds, searchedPages } from "./seeds.ts";
import type { Seeds } from "./seeds.ts";
import { openSite } from "./site.ts";
import type { Site } from "./site.ts";
import { openState } from "./saving.ts";
import { remember } from "./state.ts";
import type { CrawlState } from "./state.ts";
import { createRendering } from "./rendering.ts";
import { createVisit } from "./visit.ts";
import type { Visit, Visited } from "./visited.ts";

/** How websites are read. */
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

/** Reads the pages of a website: those that its lists name, and those that these link to. */
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
      // A crawl finds out by itself whether the site is there; a credential is tested first.
      if (credential !== null) {
        const { status, discard } = await client.request(url, { headers: credential.headers, signal });
        discard();
        if (status !== 200) throw statusFailure(url, status);
      }
      return { revision: "", ref: null, location: spec.url, refs: [] };
    },

    async *read(spec, _state, context) {
      const site = await openSite(spec, context, { client: politeClient(), pool });
      const revisions: string[] = [];
      const state = await openState(site);
      for await (const item of context.unrendered ? renderSite(site, state, browser()) : readSite(site, state)) {
        revisions.push(`${item.page.key} ${item.page.fingerprint}\n`);
        yield item;
      }
      context.account?.({
        revision: `sha256-${hashOf(revisions.toSorted().join(""))}`,
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
  else yield* doneBefore(state, context);
  const visitPage = createVisit(site, state.lists);
  let hasSettings = false;
  /** Visits a page, and takes from it what it says of the library. */
  const visit: Visit = async (found) => {
    const visited = await visitPage(found);
    // The title of a log-in form is not the site's.
    const scan = visited.item.type === "failed" ? undefined : visited.scan;
    if (state.depth > 0 && state.settings?.title !== undefined && scan) {
      const title = sharedName(state.settings.title, scan.title);
      state.settings = { ...state.settings, title };
    }
    // Only the first level has one page.
    if (!hasSettings && state.depth === 0) {
      hasSettings = true;
      const settings = scan ? settingsOf(scan) : context.earlier.settings;
      if (settings) state.settings = settings;
      if (scan && !state.lists.isListed) addAll(state, await searchedPages(site, scan));
    }
    return visited;
  };
  yield* crawl(site, state, { visit, linksOf: (key) => linksOfPage(site, key) });
}

/** Reads the pages that need a browser, and those they link to that the first pass has not read. */
async function* renderSite(site: Site, state: CrawlState, browser: Browser | null): AsyncGenerator<SourceItem> {
  const { unrendered = [], read = new Set<string>() } = site.context;
  if (state.visits === 0) {
    for (const key of read) state.seen.add(key);
    for (const { key, from } of unrendered) add(state, { key, ...(from !== undefined && { from }) });
    state.level = state.next.splice(0);
    state.visits = read.size;
  } else yield* doneBefore(state, site.context);
  const visit = createRendering(site, browser, createVisit(site, state.lists));
  yield* crawl(site, state, { visit, linksOf: async () => [] });
}

/** Puts the first page into the first level, and what lists name into the second. */
async function begin(site: Site, state: CrawlState): Promise<void> {
  const key = site.toAddress(site.arrival, site.arrival) ?? site.arrival;
  state.seen.add(key);
  state.level.push({ key });
  // What lists name has depth 1.
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

/** The items of an earlier attempt. A page that it had not kept yet is visited again. */
function* doneBefore(state: CrawlState, context: ReadContext): Generator<SourceItem> {
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

/** The name of a site: what the titles of two pages end with after a separator. The first title where that differs. */
function sharedName(title: string, other: string): string {
  const end = Math.max(...separators.map((separator) => title.lastIndexOf(separator)));
  const name = title.slice(end + 3);
  return end > 0 && title !== other && other.endsWith(title.slice(end)) ? name : title;
}

const separators = [" | ", " - ", " \u2013 ", " \u2014 ", " \u00B7 "];

/** Title and description of the library by its first page, cut to a maximum length; undefined without either. */
function settingsOf({ title, siteName, description }: NonNullable<Visited["scan"]>): LibrarySettings | undefined {
  const said = { title: asOneLine(siteName || title).slice(0, 100), description: asOneLine(description).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ""));
  return Object.keys(settings).length > 0 ? settings : undefined;
}

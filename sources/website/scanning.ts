import { decodeText } from "../../extract/decode.ts";
import { parseIndexFile } from "../../extract/llmstxt/index-file.ts";
import { needsBrowser, scanPage, type Scan } from "../../extract/website/scan.ts";
import {
  createScope,
  toPageAddress,
  createLinkCollector,
  toLinks,
  type Links,
  type ToAddress,
} from "../../extract/website/addresses.ts";
import { apiReferenceOf } from "../../extract/website/api-reference.ts";
import { whyByProduct } from "../../extract/website/by-products.ts";
import { readSitemap, searchIndexes } from "../../extract/website/lists.ts";
import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { parseText, type Threads } from "../lib/threads/thread-pool.ts";
import { createMatcher } from "../lib/tree/patterns.ts";

/** A text of a site, in UTF-8, with its address. */
export interface Scanned {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Decides which addresses are wanted pages of the site. */
  readonly spec: WebsiteSourceSpec;
}

/** The properties of a page that a crawl uses. */
export interface PageScan extends Omit<Scan, "links"> {
  readonly links: Links;
  /** It has next to no text without a browser. */
  readonly isEmpty: boolean;
  /** Why it is a by-product of a documentation generator; absent for documentation. */
  readonly byProduct?: string;
  /** The API description that it shows, or the page itself if a script of its own names that. */
  readonly apiDescription?: string;
}

/** A page in a list of the site. */
export interface Listed {
  readonly key: string;
  /** Date of its last change. */
  readonly changed?: string;
  /** Address of its Markdown. */
  readonly markdown?: string;
}

/** The content of a list of the site. */
export interface ListedPages extends Omit<Links, "addresses"> {
  readonly pages: readonly Listed[];
  /** Absolute addresses of other lists. */
  readonly lists: readonly string[];
}

/** Reads links and directives of a page of HTML on a thread. @throws Failure source_invalid */
export const scanHtml = onThread<PageScan>("htmlOf");

/** Pages that a page of Markdown links to. @throws Failure source_invalid */
export const scanMarkdown = onThread<Links>("linksOf");

/** Pages that an llms.txt lists. @throws Failure source_invalid */
export const scanLlmsTxt = onThread<ListedPages>("llmsTxtOf");

/** Reads a sitemap. @throws Failure source_invalid */
export const scanSitemap = onThread<ListedPages>("sitemapOf");

/** Pages in a site's search index. `index`: its number in `searchIndexes`; `url`: the base of its addresses. @throws Failure source_invalid */
export const scanSearchIndex = onThread<Links | undefined, Scanned & { readonly index: number }>("searchIndexOf");

/** Creates the call of a function of this module on a thread. */
function onThread<Output, Input extends Scanned = Scanned>(name: string) {
  return (threads: Threads, text: Input): Promise<Output> =>
    parseText(threads, { module: new URL(import.meta.url), name }, text, text.url);
}

export function htmlOf({ bytes, url, spec }: Scanned): PageScan {
  const text = textOf(bytes);
  const { links, ...scan } = scanPage(text);
  const base = URL.parse(scan.base ?? "", url)?.href ?? url;
  const markdown = scan.markdown === undefined ? undefined : URL.parse(scan.markdown, base)?.href;
  const shown = apiReferenceOf(text);
  const apiDescription = shown && (URL.parse(shown.description ?? url, base)?.href ?? url);
  const byProduct = whyByProduct(new URL(url).pathname, text);
  return {
    ...scan,
    links: toLinks(links, base, pagesOf(spec)),
    isEmpty: needsBrowser(text),
    ...(markdown !== undefined && { markdown }),
    ...(byProduct !== undefined && { byProduct }),
    ...(apiDescription !== undefined && { apiDescription }),
  };
}

export function linksOf({ bytes, url, spec }: Scanned): Links {
  return toLinks(parseIndexFile(textOf(bytes), url).pages, url, pagesOf(spec));
}

export function llmsTxtOf({ bytes, url, spec }: Scanned): ListedPages {
  const listed = parseIndexFile(textOf(bytes), url).pages.map((markdown) => ({ url: pageOf(markdown), markdown }));
  return { ...toListed(listed, url, spec), lists: [] };
}

export function sitemapOf({ bytes, url, spec }: Scanned): ListedPages {
  const { pages, sitemaps } = readSitemap(textOf(bytes));
  const lists = toLinks(sitemaps, url, (href, base) => URL.parse(href, base)?.href).addresses;
  return { ...toListed(pages, url, spec), lists };
}

export function searchIndexOf({ bytes, url, spec, index }: Scanned & { readonly index: number }): Links | undefined {
  const pages = searchIndexes[index]?.pagesIn(textOf(bytes));
  return pages && toLinks(pages, url, pagesOf(spec));
}

function toListed(
  pages: readonly ({ readonly url: string } & Omit<Listed, "key">)[],
  base: string,
  spec: WebsiteSourceSpec,
): Omit<ListedPages, "lists"> {
  const collector = createLinkCollector(pagesOf(spec));
  const listed = new Map<string, Listed>();
  for (const { url, ...more } of pages) {
    const key = collector.add(url, base);
    if (key !== undefined) listed.set(key, { ...listed.get(key), key, ...more });
  }
  const { more, tooLong } = collector.links();
  return { pages: [...listed.values()], more, tooLong };
}

/** Creates the function that normalises addresses; undefined for addresses of unwanted pages. */
export function pagesOf(spec: WebsiteSourceSpec): ToAddress {
  const isWanted = wantedBy(spec);
  return (href, base) => {
    const address = toPageAddress(href, base, spec);
    return address !== undefined && isWanted(address) ? address : undefined;
  };
}

/** Creates the test whether an address is in scope and chosen by the patterns. @throws Failure validation_error */
export function wantedBy(spec: WebsiteSourceSpec): (address: string) => boolean {
  const inScope = createScope(spec);
  const isChosen = createPathTest(spec);
  return (address) => {
    const url = new URL(address);
    return inScope(url) && isChosen(url);
  };
}

/** The address of a page, by the address of its Markdown. */
function pageOf(link: string): string {
  return link.replace(/(?:\/index(?:\.html)?)?\.md$/i, (end) => (end.startsWith("/index") ? "/" : ""));
}

function textOf(bytes: Uint8Array): string {
  return decodeText(bytes, true).text;
}

/**
 * Creates the test whether the patterns choose an address. A pattern is a path (`/blog/**`, `/blog`), a name at any depth (`changelog`), or
 * a whole address; it also matches everything below.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createPathTest({
  includePatterns,
  excludePatterns,
}: Pick<WebsiteSourceSpec, "includePatterns" | "excludePatterns">): (address: URL) => boolean {
  const included = createTest(includePatterns);
  const excluded = createTest(excludePatterns);
  return (address) => (includePatterns.length === 0 || included(address)) && !excluded(address);
}

function createTest(patterns: readonly string[]): (address: URL) => boolean {
  const isAddress = (pattern: string): boolean => /^https?:\/\//i.test(pattern);
  const matchesPath = createMatcher(patterns.filter((pattern) => !isAddress(pattern)).flatMap(toGlobs));
  const matchesAddress = createMatcher(
    patterns.filter(isAddress).flatMap((pattern) => withDescendants(pattern.replace(/^https?:\/\//i, ""))),
  );
  return ({ host, pathname, search }) => {
    const path = pathname.slice(1);
    const texts = search === "" ? [path] : [path, path + search];
    return texts.some((text) => matchesPath(text) || matchesAddress(`${host}/${text}`));
  };
}

/** A bare name means a folder or page at any depth. */
function toGlobs(pattern: string): string[] {
  const bare = pattern.replace(/^\.?\/+/, "");
  if (bare === "") return pattern.trim() === "" ? [] : ["**"];
  const anywhere = !/^\.?\//.test(pattern) && !bare.replace(/(?<!\/)\/+\**$/, "").includes("/");
  return withDescendants(anywhere && !bare.startsWith("**") ? `**/${bare}` : bare);
}

function withDescendants(glob: string): string[] {
  const whole = glob.replace(/(?<!\/)\/+(?:\*\*?)?$/, "");
  return [whole, `${whole}/**`];
}

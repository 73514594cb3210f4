import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Failure } from "../../../domain/failures.ts";
import { folderOf } from "../../../extract/website/addresses.ts";
import { searchIndexes } from "../../../extract/website/lists.ts";
import { hashOf } from "../fetching.ts";
import { scanHtml, scanMarkdown, scanSearchIndex, scanSitemap } from "./scanning.ts";
import type { PageScan } from "./scanning.ts";
import type { Site } from "./site.ts";
import type { Found } from "./visit.ts";

const unzip = promisify(gunzip);

/** Bounds of what is read of sitemaps: how many, how deep in one another, addresses in all, and bytes of one. */
const maxSitemaps = 50;
const maxLevels = 3;
const maxAddresses = 50_000;
const maxBytes = 50_000_000;

/** The pages that lists of a site name: its sitemaps and its llms.txt. A list that is missing, or none, names nothing. */
export async function listedPages(site: Site): Promise<readonly Found[]> {
  const found = new Map<string, Found>();
  const add = (url: string, base: string, more: Omit<Found, "key"> = {}): void => {
    const key = site.toAddress(url, base);
    if (key === undefined || !site.isWanted(key) || found.size >= maxAddresses) return;
    found.set(key, { ...found.get(key), key, ...more });
  };
  const start = new URL(site.spec.url);
  for (const list of new Set(folders(start).map((folder) => new URL(`${folder}llms.txt`, start).href))) {
    const text = await fetchList(site, new URL(list));
    if (text === undefined || isHtml(text)) continue;
    for (const link of await scanMarkdown(site.threads, { url: list, bytes: text }))
      add(pageOf(link), list, { markdown: link });
    break;
  }
  let level = await sitemapsOf(site, start);
  const read = new Set<string>();
  for (let depth = 0; depth < maxLevels && level.length > 0; depth += 1) {
    const below: string[] = [];
    for (const address of level) {
      if (read.has(address) || read.size >= maxSitemaps) continue;
      read.add(address);
      const text = await fetchList(site, new URL(address));
      if (text === undefined || isHtml(text)) continue;
      const { pages, sitemaps } = await scanSitemap(site.threads, { url: address, bytes: text });
      for (const { url, ...more } of pages) add(url, address, more);
      below.push(...sitemaps.map((url) => URL.parse(url, address)?.href).filter((url) => url !== undefined));
    }
    level = below;
  }
  return [...found.values()];
}

/** The pages that the index of the site's search names, if its generator makes one; `first` is the first page. */
export async function searchedPages(site: Site, first: PageScan): Promise<readonly Found[]> {
  const start = new URL(site.arrival);
  for (const [number, index] of searchIndexes.entries()) {
    if (!index.isMadeBy(first)) continue;
    for (const folder of folders(start)) {
      const root = new URL(folder, start);
      const url = new URL(index.path, root);
      const text = await fetchList(site, url);
      const pages = text && (await scanSearchIndex(site.threads, { url: url.href, bytes: text, index: number }));
      if (!pages) continue;
      const keys = pages.map((page) => site.toAddress(page, root.href)).filter((key) => key !== undefined);
      return [...new Set(keys)].filter((key) => site.isWanted(key)).map((key) => ({ key }));
    }
  }
  return [];
}

/** What the site says where a page is not there, if it says so with status 200; "" else. */
export async function missingWords(site: Site): Promise<string> {
  const start = new URL(site.arrival);
  const url = new URL(`${folderOf(start.pathname)}no-such-page-${hashOf(start.href).slice(0, 12)}`, start);
  const bytes = await fetchList(site, url, 0);
  if (bytes === undefined) return "";
  const { unnumbered, isEmpty } = await scanHtml(site.threads, { url: url.href, bytes });
  return isEmpty ? "" : unnumbered;
}

/** The folder of an address and the folders above it, the innermost first. */
function folders({ pathname }: URL): string[] {
  const found: string[] = [];
  for (let folder = folderOf(pathname); ; folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)) {
    found.push(folder);
    if (folder === "/") return found.length > 4 ? [...found.slice(0, 3), "/"] : found;
  }
}

/** What robots.txt names; without any, where sitemaps usually are. */
async function sitemapsOf({ robots }: Site, start: URL): Promise<string[]> {
  const named = (await robots.sitemaps(start)).filter((url) => URL.canParse(url));
  if (named.length > 0) return named;
  return [...new Set(folders(start).map((folder) => new URL(`${folder}sitemap.xml`, start).href))];
}

/** A list, unzipped; undefined where there is none that can be read. */
async function fetchList(
  { client, threads, robots }: Site,
  url: URL,
  maxRedirects?: number,
): Promise<Uint8Array | undefined> {
  try {
    if (!(await robots.allows(url))) return undefined;
    const response = await client.request(url, {
      signal: threads.signal,
      maxBytes,
      ...(maxRedirects !== undefined && { maxRedirects }),
    });
    if (response.status !== 200) {
      response.discard();
      return undefined;
    }
    const bytes = Buffer.concat(await Array.fromAsync(response.body));
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzip(bytes, { maxOutputLength: maxBytes }) : bytes;
  } catch (error) {
    // A site without lists is read by its links. One that is only out of reach now is waited for.
    const isGone = error instanceof Failure ? error.code !== "source_unreachable" : isBadArchive(error);
    if (isGone) return undefined;
    throw error;
  }
}

function isBadArchive(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));
}

function isHtml(text: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html)/i.test(Buffer.from(text.subarray(0, 300)).toString());
}

/** A page of which a list names the Markdown. */
function pageOf(link: string): string {
  return link.replace(/(?:\/index(?:\.html)?)?\.md$/i, (end) => (end.startsWith("/index") ? "/" : ""));
}

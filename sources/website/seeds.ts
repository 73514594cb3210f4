import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Failure } from "../../domain/failures.ts";
import { siteFolder } from "../../domain/addresses.ts";
import { maxLinks, type Links } from "../../extract/website/addresses.ts";
import { searchIndexes } from "../../extract/website/lists.ts";
import type { RobotsFile } from "../../extract/website/parse-robots.ts";
import { getResource, hashOf, unconditional } from "../lib/pages/fetching.ts";
import { scanHtml, scanLlmsTxt, scanSearchIndex, scanSitemap, type ListedPages, type PageScan } from "./scanning.ts";
import type { Site } from "./site.ts";
import type { QueuedAddress } from "./outcomes.ts";

const unzip = promisify(gunzip);

/** Maximum number of sitemaps, maximum levels of nesting, and maximum size of a list in bytes. */
const maxSitemaps = 50;
const maxLevels = 3;
const maxBytes = 50_000_000;

/** Pages in lists of a site, and the numbers of addresses that were left out. */
export interface Seeds extends Omit<Links, "addresses"> {
  readonly pages: readonly QueuedAddress[];
  /** Why lists could not be fetched, in sentences. */
  readonly outOfReach: readonly string[];
}

/** The seeds of a site without lists. */
export const noSeeds: Seeds = { pages: [], more: 0, tooLong: 0, outOfReach: [] };

/** The pages in the lists of a site: its sitemaps and its llms.txt. A missing or invalid list is empty. */
export async function listedPages(site: Site): Promise<Seeds> {
  const { spec, threads } = site;
  const seeds = new Map<string, QueuedAddress>();
  const outOfReach = new Set<string>();
  const note = (reason: string): void => void outOfReach.add(reason);
  const leftOut = { more: 0, tooLong: 0 };
  const add = ({ pages, more, tooLong }: ListedPages): void => {
    leftOut.more += more;
    leftOut.tooLong += tooLong;
    for (const page of pages) {
      const known = seeds.get(page.key);
      if (known === undefined && seeds.size >= maxLinks) leftOut.more += 1;
      else seeds.set(page.key, { ...known, ...page });
    }
  };
  const start = new URL(spec.url);
  for (const url of new Set(folders(start).map((folder) => new URL(`${folder}llms.txt`, start).href))) {
    const bytes = await fetchList(site, new URL(url), note);
    if (bytes === undefined || isHtml(bytes)) continue;
    add(await scanLlmsTxt(threads, { url, bytes, spec }));
    break;
  }
  const named = await sitemapsOf(site, start);
  leftOut.tooLong += named.tooLong;
  let level = named.sitemaps;
  const read = new Set<string>();
  for (let depth = 0; depth < maxLevels && level.length > 0; depth += 1) {
    const nextLevel: string[] = [];
    for (const url of level) {
      if (read.has(url) || read.size >= maxSitemaps) continue;
      read.add(url);
      const bytes = await fetchList(site, new URL(url), note);
      if (bytes === undefined || isHtml(bytes)) continue;
      const sitemap = await scanSitemap(threads, { url, bytes, spec });
      add(sitemap);
      nextLevel.push(...sitemap.lists.slice(0, maxSitemaps));
    }
    level = nextLevel;
  }
  return { pages: [...seeds.values()], ...leftOut, outOfReach: [...outOfReach] };
}

/** The pages in the site's search index, if its generator creates one; `first` is the first page. */
export async function searchedPages(site: Site, first: PageScan): Promise<Seeds> {
  const start = new URL(site.arrival);
  const outOfReach: string[] = [];
  for (const [number, index] of searchIndexes.entries()) {
    if (!index.isMadeBy(first)) continue;
    for (const folder of folders(start)) {
      const root = new URL(folder, start);
      const bytes = await fetchList(site, new URL(index.path, root), (reason) => outOfReach.push(reason));
      const text = bytes && { url: root.href, bytes, spec: site.spec, index: number };
      const links = text && (await scanSearchIndex(site.threads, text));
      if (!links) continue;
      const { addresses, ...leftOut } = links;
      return { pages: addresses.map((key) => ({ key })), ...leftOut, outOfReach };
    }
  }
  return { ...noSeeds, outOfReach };
}

/** An address at which a site has no page; a route of its scripts if `isRouted`. */
export function missingPage({ arrival }: Pick<Site, "arrival">, isRouted: boolean): URL {
  const start = new URL(arrival);
  const name = `no-such-page-${hashOf(arrival).slice(0, 12)}`;
  return new URL(isRouted ? `#/${name}` : `${siteFolder(start.pathname)}${name}`, start);
}

/** Text of the site's soft 404: its response with status 200 for a missing page. "" if it answers 404. */
export async function soft404Text(site: Site): Promise<string> {
  const url = missingPage(site, site.spec.keepHash && new URL(site.arrival).hash !== "");
  // An unreachable host has no text to compare with.
  const bytes = await fetchList(site, url, () => {}, 0);
  if (bytes === undefined) return "";
  const { unnumbered, isEmpty } = await scanHtml(site.threads, { url: url.href, bytes, spec: site.spec });
  return isEmpty ? "" : unnumbered;
}

/** The folder of an address and its parents, the innermost first: at most three, and the root. */
function folders({ pathname }: URL): string[] {
  const all: string[] = [];
  for (let folder = siteFolder(pathname); ; folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)) {
    all.push(folder);
    if (folder === "/") return all.length > 4 ? [...all.slice(0, 3), "/"] : all;
  }
}

/** The sitemaps in robots.txt; without any, the usual addresses. */
async function sitemapsOf({ robots }: Site, start: URL): Promise<Pick<RobotsFile, "sitemaps" | "tooLong">> {
  const named = await robots.sitemaps(start);
  if (named.sitemaps.length > 0) return named;
  const usual = folders(start).map((folder) => new URL(`${folder}sitemap.xml`, start).href);
  return { ...named, sitemaps: [...new Set(usual)] };
}

/** A list, unzipped; undefined if it is missing or unreadable. `outOfReach` is called with the reason if the host is unreachable. */
async function fetchList(
  { client, threads: { signal }, robots }: Site,
  url: URL,
  outOfReach: (reason: string) => void,
  maxRedirects?: number,
): Promise<Uint8Array | undefined> {
  try {
    if (!(await robots.allows(url))) return undefined;
    const { bytes } = unconditional(await getResource(client, url, { signal, maxBytes, maxRedirects }));
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzip(bytes, { maxOutputLength: maxBytes }) : bytes;
  } catch (error) {
    // A site without lists is read by following its links.
    if (signal.aborted || !(error instanceof Failure || isBadArchive(error))) throw error;
    if (error instanceof Failure && error.code === "source_unreachable") outOfReach(error.message);
    return undefined;
  }
}

function isBadArchive(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));
}

function isHtml(text: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html)/i.test(Buffer.from(text.subarray(0, 300)).toString());
}

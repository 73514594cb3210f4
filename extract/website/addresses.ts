import { getDomain } from "tldts";
import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { siteFolder } from "../../domain/addresses.ts";

/** The settings that decide which addresses are pages of a site, and which are equivalent. */
export type SiteRules = Pick<WebsiteSourceSpec, "url" | "base" | "scope" | "keepQuery" | "keepHash">;

/** Maximum length of an address, in characters. */
export const maxAddressLength = 2000;
/** Maximum number of folders in a path: deeper pages are in a crawler trap. */
const maxFolders = 12;
/** Maximum number of repetitions of a folder in a path: more come from a link into itself. */
const maxRepeats = 3;

/** Extensions of files that are no pages. */
const asset =
  /\.(?:7z|aac|apk|avif|bin|bmp|bz2|cjs|cs[sv]|deb|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|js|json|map|mjs|mkv|mov|mp[34]|mpe?g|msi|od[pst]|ogg|otf|pdf|png|pptx?|rar|rpm|rss|svgz?|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|wheel|whl|wmv|woff2?|xlsx?|xml|xz|ya?ml|zip|zst)$/i;

/** Parameters that identify a visitor or campaign, never a page. */
const visitor =
  /^(?:utm_.*|mc_[ce]id|_gl|_ga|_hs.*|gclid|dclid|fbclid|msclkid|yclid|igshid|ref|referrer|phpsessid|jsessionid|aspsessionid.*|cfid|cftoken|s?sid|session(?:_?id)?|sessid|replytocom)$/i;

/** A fragment that a single-page application uses as a path. */
const route = /^#!?\//;

/**
 * The canonical form of a page's address: without credentials, visitor parameters and empty folders, with sorted parameters, and without
 * its fragment unless that is a route and `keepHash` is set. Undefined if the address cannot be a page.
 */
export function toPageAddress(href: string, base: string, rules: SiteRules): string | undefined {
  const url = URL.parse(href.trim(), base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > maxAddressLength) return undefined;
  url.username = url.password = "";
  url.hash = rules.keepHash && route.test(url.hash) ? routeOf(url.hash, rules) : "";
  url.pathname = url.pathname.replace(/;jsessionid=[^/]*/i, "").replace(/\/{2,}/g, "/");
  url.search = rules.keepQuery ? withoutVisitor(url.search) : "";
  const start = new URL(rules.url);
  if (url.host === start.host) url.protocol = start.protocol;
  return asset.test(url.pathname) || isTrap(url.pathname) ? undefined : url.href;
}

/** A route without its own fragment (`#/guide#use`) and without visitor parameters. */
function routeOf(hash: string, { keepQuery }: SiteRules): string {
  const [path = "", ...search] = (hash.slice(1).split("#")[0] ?? "").split("?");
  const kept = keepQuery ? withoutVisitor(`?${search.join("?")}`) : "";
  return kept === "" ? path : `${path}?${kept}`;
}

/** The other parameters, unchanged, sorted by name. */
function withoutVisitor(search: string): string {
  const nameOf = (parameter: string): string => parameter.replace(/=.*/s, "");
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !visitor.test(nameOf(parameter)));
  return kept.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : Number(nameOf(a) > nameOf(b)))).join("&");
}

/** Whether a path comes from links that lead into themselves. */
function isTrap(path: string): boolean {
  const folders = path.split("/").filter((folder) => folder !== "");
  if (folders.length > maxFolders) return true;
  return [...Map.groupBy(folders, (folder) => folder).values()].some(({ length }) => length > maxRepeats);
}

/** Creates the test whether an address is in the scope of a site. */
export function createScope({ url, base, scope }: SiteRules): (address: URL) => boolean {
  const start = new URL(url);
  if (base !== null) {
    const { origin, pathname } = new URL(base);
    return (address) => address.origin === origin && isWithin(address.pathname, pathname);
  }
  if (scope === "domain") {
    const domain = domainOf(start);
    return (address) => domainOf(address) === domain;
  }
  const folder = scope === "hostname" ? "/" : siteFolder(start.pathname);
  return (address) => address.host === start.host && isWithin(address.pathname, folder);
}

/** The registrable domain; the host for an IP address or a name without one. */
function domainOf({ host, hostname }: URL): string {
  return getDomain(hostname) ?? host;
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) || (folder.endsWith("/") && path === folder.slice(0, -1));
}

/** The links of a page or list. */
export interface Links {
  /** Unique canonical addresses of pages of the site. */
  readonly addresses: readonly string[];
  /** Number of further addresses, beyond the limit. */
  readonly more: number;
  /** Number of overlong addresses. */
  readonly tooLong: number;
}

/** Maximum number of addresses of one page or list, the same as for a sitemap (https://www.sitemaps.org/protocol.html). */
export const maxLinks = 50_000;

/** The canonical form of an address; undefined if it is no page of the site. */
export type ToAddress = (href: string, base: string) => string | undefined;

/** Collects unique addresses up to the limit. */
export function createLinkCollector(toAddress: ToAddress) {
  const addresses = new Set<string>();
  let more = 0;
  let tooLong = 0;
  return {
    /** Adds an address as written. Returns its canonical form if it is kept. */
    add(href: string, base: string): string | undefined {
      if (href.length > maxAddressLength && isTooLong(href, base)) {
        tooLong += 1;
        return undefined;
      }
      const address = toAddress(href, base);
      if (address === undefined || addresses.has(address)) return address;
      if (addresses.size >= maxLinks) {
        more += 1;
        return undefined;
      }
      addresses.add(address);
      return address;
    },
    links: (): Links => ({ addresses: [...addresses], more, tooLong }),
  };
}

/** The unique canonical forms of addresses, up to the limit. */
export function toLinks(hrefs: Iterable<string>, base: string, toAddress: ToAddress): Links {
  const collector = createLinkCollector(toAddress);
  for (const href of hrefs) collector.add(href, base);
  return collector.links();
}

/** Data URLs and scripts are long too, but are no links. */
function isTooLong(href: string, base: string): boolean {
  const url = URL.parse(href, base);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length > maxAddressLength;
}

/** Maximum number of paths of one template, and of queries of one path: more are generated without end, as by a calendar. */
const maxOfTemplate = 200;
const maxQueries = 20;

/** Counts the addresses of a crawl by template. */
export function createTemplates() {
  const templates = new Map<string, number>();
  const queries = new Map<string, number>();
  return {
    /** Counts an address. True if its template has too many. */
    isOneTooMany({ host, pathname, search }: URL): boolean {
      const path = `${host}${pathname}`;
      if (search !== "" && count(queries, path) > maxQueries) return true;
      const template = toTemplate(path);
      return template !== path && count(templates, template) > maxOfTemplate;
    },
  };
}

function count(counts: Map<string, number>, key: string): number {
  const sum = (counts.get(key) ?? 0) + 1;
  counts.set(key, sum);
  return sum;
}

/** A path with a placeholder for each number, date and identifier. */
function toTemplate(path: string): string {
  return path
    .split("/")
    .map((name) => (isNumbering(name) ? "#" : name))
    .join("/");
}

function isNumbering(name: string): boolean {
  return /^\d[\d._-]*$/.test(name) || /^(?=[0-9a-f-]*\d)[0-9a-f-]{12,}$/i.test(name);
}

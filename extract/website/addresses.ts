import { getDomain } from "tldts";
import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { siteFolder } from "../../domain/addresses.ts";

/** What decides which addresses are pages of a site, and which of them are the same one. */
export type SiteRules = Pick<WebsiteSourceSpec, "url" | "base" | "scope" | "keepQuery" | "keepHash">;

/** Longest address, in characters. */
export const maxAddressLength = 2000;
/** Maximum number of folders of a path: deeper pages are in a trap for crawlers. */
const maxFolders = 12;
/** Maximum number of times that a folder stands in a path: more come of a link that leads into itself. */
const maxRepeats = 3;

/** Endings of files that are no pages. */
const asset =
  /\.(?:7z|aac|apk|avif|bin|bmp|bz2|cjs|cs[sv]|deb|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|js|json|map|mjs|mkv|mov|mp[34]|mpe?g|msi|od[pst]|ogg|otf|pdf|png|pptx?|rar|rpm|rss|svgz?|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|wheel|whl|wmv|woff2?|xlsx?|xml|xz|ya?ml|zip|zst)$/i;

/** Parameters that name a visitor or a campaign, and never a page. */
const visitor =
  /^(?:utm_.*|mc_[ce]id|_gl|_ga|_hs.*|gclid|dclid|fbclid|msclkid|yclid|igshid|ref|referrer|phpsessid|jsessionid|aspsessionid.*|cfid|cftoken|s?sid|session(?:_?id)?|sessid|replytocom)$/i;

/** A fragment that a page of scripts takes for a path. */
const route = /^#!?\//;

/**
 * The one form of a page's address: no credentials, visitor's parameters or empty folders, parameters in their order, and no
 * fragment but a route, where those are kept, itself without a fragment. Undefined: no page is at such an address.
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

/** A route without the place on its page, `#/guide#use`, and with the parameters that an address keeps. */
function routeOf(hash: string, { keepQuery }: SiteRules): string {
  const [path = "", ...search] = (hash.slice(1).split("#")[0] ?? "").split("?");
  const kept = keepQuery ? withoutVisitor(`?${search.join("?")}`) : "";
  return kept === "" ? path : `${path}?${kept}`;
}

/** Parameters as they are written, in the order of their names. */
function withoutVisitor(search: string): string {
  const nameOf = (parameter: string): string => parameter.replace(/=.*/s, "");
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !visitor.test(nameOf(parameter)));
  return kept.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : Number(nameOf(a) > nameOf(b)))).join("&");
}

/** Whether a path is what links that lead into themselves make. */
function isTrap(path: string): boolean {
  const folders = path.split("/").filter((folder) => folder !== "");
  if (folders.length > maxFolders) return true;
  const counts = new Map<string, number>();
  for (const folder of folders) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts.values()].some((count) => count > maxRepeats);
}

/** Makes the test whether an address is in the scope of a site. */
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

/** The registrable domain; of an IP address or a name without one the host. */
function domainOf({ host, hostname }: URL): string {
  return getDomain(hostname) ?? host;
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) || (folder.endsWith("/") && path === folder.slice(0, -1));
}

/** Addresses that a page or a list names. */
export interface Links {
  /** Those of pages of the site, in their one form, each once. */
  readonly addresses: readonly string[];
  /** Further ones, behind as many as are kept. */
  readonly more: number;
  /** Those that are too long to be asked for. */
  readonly tooLong: number;
}

/** Addresses that are kept of one page or list, as many as a sitemap may have (https://www.sitemaps.org/protocol.html). */
export const maxLinks = 50_000;

/** Says where pages are: the one form of an address, undefined where no page of the site is. */
export type ToAddress = (href: string, base: string) => string | undefined;

/** Collects addresses, each once and as many as are kept. */
interface LinkCollector {
  /** Takes an address as it is written; answers its one form if it is kept. */
  add(href: string, base: string): string | undefined;
  links(): Links;
}

/** Creates a collector. */
export function createLinkCollector(toAddress: ToAddress): LinkCollector {
  const found = new Set<string>();
  let more = 0;
  let tooLong = 0;
  return {
    add(href, base) {
      if (href.length > maxAddressLength && isTooLong(href, base)) {
        tooLong += 1;
        return undefined;
      }
      const address = toAddress(href, base);
      if (address === undefined || found.has(address)) return address;
      if (found.size >= maxLinks) {
        more += 1;
        return undefined;
      }
      found.add(address);
      return address;
    },
    links: () => ({ addresses: [...found], more, tooLong }),
  };
}

/** The one form of addresses, each once and as many as are kept. */
export function toLinks(hrefs: Iterable<string>, base: string, toAddress: ToAddress): Links {
  const collector = createLinkCollector(toAddress);
  for (const href of hrefs) collector.add(href, base);
  return collector.links();
}

/** Pictures and scripts in an address are long too, and lead nowhere. */
function isTooLong(href: string, base: string): boolean {
  const url = URL.parse(href, base);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length > maxAddressLength;
}

/** Maximum number of paths of one form, and of queries of one path: a site that has more makes pages up, as a calendar does. */
const maxOfTemplate = 200;
const maxQueries = 20;

/** Counts addresses by what they have in common. */
interface Templates {
  /** Whether an address is one more of too many. */
  isOneTooMany(address: URL): boolean;
}

/** Creates the count of a crawl. */
export function createTemplates(): Templates {
  const templates = new Map<string, number>();
  const queries = new Map<string, number>();
  return {
    isOneTooMany({ host, pathname, search }) {
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

/** A path whose names of digits, dates and identifiers are all the same. */
function toTemplate(path: string): string {
  return path
    .split("/")
    .map((name) => (isNumbering(name) ? "#" : name))
    .join("/");
}

function isNumbering(name: string): boolean {
  return /^\d[\d._-]*$/.test(name) || /^(?=[0-9a-f-]*\d)[0-9a-f-]{12,}$/i.test(name);
}

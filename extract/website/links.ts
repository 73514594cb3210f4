import { maxAddressLength } from "./addresses.ts";

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
export interface LinkCollector {
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

import robots from "robots-parser";
import { Failure } from "../../domain/failures.ts";
import type { PoliteClient } from "./polite.ts";

// It is CommonJS, and its types say that it has a default export.
const parseRobots = robots as unknown as typeof robots.default;

/** What robots.txt files permit. */
export interface Robots {
  /** Whether a page may be fetched. @throws Failure source_unreachable if the host does not say */
  allows(url: URL): Promise<boolean>;
  /** The sitemaps that the host's file names. @throws Failure source_unreachable if the host does not say */
  sitemaps(url: URL): Promise<readonly string[]>;
}

/** Maximum size of a robots.txt, in bytes: what Google reads of one. */
const maxBytes = 512_000;

/** Reads the robots.txt of each host once, and applies its Crawl-delay. One that is missing, or refused, permits everything (RFC 9309). */
export function createRobots(client: PoliteClient, userAgent: string, signal: AbortSignal): Robots {
  const files = new Map<string, ReturnType<typeof read>>();

  async function read(origin: string) {
    const address = new URL("/robots.txt", origin);
    const response = await client.request(address, { signal, maxBytes });
    if (response.status >= 200 && response.status < 300) {
      const file = parseRobots(address.href, await response.text());
      const delay = file.getCrawlDelay(userAgent);
      if (delay !== undefined) client.slowDown(address.host, delay * 1000);
      return file;
    }
    response.discard();
    if (response.status < 500) return undefined;
    const message = `${address.href} answers ${response.status}, so nobody knows which pages may be read. Try again later.`;
    throw new Failure("source_unreachable", message);
  }

  const fileOf = (url: URL): ReturnType<typeof read> => {
    const file = files.get(url.origin) ?? read(url.origin);
    files.set(url.origin, file);
    return file;
  };

  return {
    allows: async (url) => (await fileOf(url))?.isAllowed(url.href, userAgent) ?? true,
    sitemaps: async (url) => (await fileOf(url))?.getSitemaps() ?? [],
  };
}

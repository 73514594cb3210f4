import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { PageRef } from "../../../domain/ports.ts";
import type { Browser } from "../../browser/browser.ts";
import { hashOf } from "../fetching.ts";
import { directivesOf } from "../../../extract/website/directives.ts";
import { scanHtml } from "./scanning.ts";
import type { Site } from "./site.ts";
import { linksIn, placeOf } from "./visit.ts";
import type { Found, Visited } from "./visit.ts";

/**
 * Makes the visit of the second pass: pages that are empty without a browser are read in one, with what they lead to; those that
 * turn out to need none are read without. `visit` is that of the first pass.
 */
export function createRendering(
  { context, spec, validators, threads, toAddress, isWanted, optionsHash, politely, headersFor }: Site,
  browser: Browser | null,
  visit: (found: Found) => Promise<Visited>,
): (found: Found) => Promise<Visited> {
  const { signal, limits, unrendered = [] } = context;
  const waiting = new Set(unrendered.map(({ key }) => key));

  async function render(found: Found): Promise<Visited> {
    const place = placeOf(found);
    if (browser === null) return { item: { type: "unrendered", page: place }, links: [] };
    await politely(place.key);
    const headers = headersFor(new URL(place.key));
    const options = { signal, maxBytes: limits.pageBytes, ...(headers && { headers }) };
    const { url, status, html, xRobotsTag = "" } = await browser.render(new URL(place.key), options);
    if (status === 404 || status === 410)
      return {
        item: { type: "skipped", page: place, code: "gone", reason: `There is nothing there (${status}).` },
        links: [],
      };
    const key = toAddress(url.href, place.key);
    if (key === undefined || !isWanted(key)) {
      const reason = `It leads to ${url.href}, which is no page of the site.`;
      return { item: { type: "skipped", page: place, code: "elsewhere", reason }, links: [] };
    }
    const bytes = Buffer.from(html);
    const scan = await scanHtml(threads, { url: key, bytes });
    const { index, follow } = directivesOf(scan.robots, xRobotsTag.toLowerCase());
    const links = follow ? linksIn(scan, url.href, toAddress) : [];
    const fingerprint = `${optionsHash}${hashOf(bytes)}`;
    const page: PageRef = { ...place, key, url: key, resource: key, mediaType: "text/html", fingerprint };
    if (!index)
      return { item: { type: "skipped", page, code: "robots", reason: "The page asks not to be indexed." }, links };
    validators.set(key, { rendered: true });
    const visited = { links, words: scan.words, scan };
    if (context.known(page)) return { item: { type: "known", page }, ...visited };
    return { item: { type: "page", page, bytes, revision: `sha256-${fingerprint}` }, ...visited };
  }

  return async (found) => {
    // A route of scripts is the same page for the host.
    const isRoute = spec.keepHash && new URL(found.key).hash !== "";
    if (!waiting.has(found.key) && !isRoute) {
      const visited = await visit(found);
      if (visited.item?.type !== "unrendered") return visited;
    }
    try {
      return await render(found);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const page = placeOf(found);
      validators.set(page.key, { rendered: true });
      return { item: { type: "failed", page, failure: toFailureRecord(error) }, links: [] };
    }
  };
}

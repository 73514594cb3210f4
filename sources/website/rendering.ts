import { Failure, toFailureRecord } from "../../domain/failures.ts";
import type { PageRef } from "../../domain/ports.ts";
import type { Browser } from "../lib/browser/browser.ts";
import type { RenderedPage } from "../lib/browser/outcome.ts";
import { hashOf } from "../lib/pages/conditional-get.ts";
import { judge } from "../../extract/website/judge.ts";
import { scanHtml } from "./scanning.ts";
import { missingPage } from "./seeds.ts";
import type { Site } from "./site.ts";
import { landing } from "./landing.ts";
import { isRoute, refusedByRobots } from "./unasked.ts";
import { itemOf, leftOut, notRead, placeOf, saidBy, unrendered } from "./visited.ts";
import type { Found, Visit, Visited } from "./visited.ts";

/** The route of a site's first page. */
const firstRoute = /^#!?\/$/;

/**
 * Makes the visit of the second pass: pages that are empty without a browser are read in one, with what they lead to; those that
 * turn out to need none are read without. `visit` is that of the first pass.
 */
export function createRendering(site: Site, browser: Browser | null, visit: Visit): Visit {
  const { context, spec, validators, threads, optionsHash, client, headersFor, robots } = site;
  const { signal, limits } = context;
  const waiting = new Set((context.unrendered ?? []).map(({ key }) => key));
  /** Text of the site's soft 404 by whether a route is asked for. */
  const missing = new Map<boolean, Promise<string>>();

  async function load(chromium: Browser, address: URL): Promise<RenderedPage> {
    await client.turn(address.host, signal);
    const headers = headersFor(address);
    return chromium.render(address, { signal, maxBytes: limits.pageBytes, ...(headers && { headers }) });
  }

  /** What the site's scripts show where a page is not there, if its server does not answer 404; otherwise "". */
  async function findMissing(chromium: Browser, isRouted: boolean): Promise<string> {
    const address = missingPage(site, isRouted);
    if (!(await robots.allows(address))) return "";
    try {
      const { url, status, html } = await load(chromium, address);
      // Scripts that go to another route show no soft 404.
      if (status !== 200 || (isRouted && url.hash !== address.hash)) return "";
      const scan = await scanHtml(threads, { url: url.href, bytes: Buffer.from(html), spec });
      return scan.isEmpty ? "" : scan.unnumbered;
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      // A site that does not answer there has no text to compare with.
      return "";
    }
  }

  async function render(found: Found): Promise<Visited> {
    const place = placeOf(found);
    if (!(await robots.allows(new URL(place.key)))) return leftOut(place, "robots", refusedByRobots);
    if (browser === null) return unrendered(place);
    const isRouted = isRoute(spec, place.key);
    const whenMissing = missing.get(isRouted) ?? findMissing(browser, isRouted);
    missing.set(isRouted, whenMissing);
    // Scripts may show the first route in place of a missing one.
    const text = isRouted && firstRoute.test(new URL(place.key).hash) ? "" : await whenMissing;
    const { url, status, html, xRobotsTag = "" } = await load(browser, new URL(place.key));
    if (status === 404 || status === 410) return leftOut(place, "gone", `There is nothing there (${status}).`);
    const landed = await landing(site, place, url);
    if ("item" in landed) return landed;
    const { address: key } = landed;
    const bytes = Buffer.from(html);
    const scan = await scanHtml(threads, { url: url.href, bytes, spec });
    const arrived = { key, url: url.href, scan, robots: xRobotsTag.toLowerCase() };
    const judged = judge(arrived, { ...site, first: spec.url, missing: text });
    const fingerprint = `${optionsHash}${hashOf(bytes)}`;
    const page: PageRef = { ...place, key, url: key, resource: key, mediaType: "text/html", fingerprint };
    const early = notRead(judged, scan, page, { asked: place, url });
    if (early) return early;
    validators.set(key, { rendered: true });
    return { item: itemOf(context, page, { bytes }), ...saidBy(judged, scan) };
  }

  return async (found) => {
    // A route of scripts is the same page for the host.
    if (!waiting.has(found.key) && !isRoute(spec, found.key)) {
      const visited = await visit(found);
      if (visited.item.type !== "unrendered") return visited;
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

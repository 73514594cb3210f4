import { whySource } from "../../extract/website/by-products.ts";
import type { Site } from "./site.ts";
import { leftOut, placeOf, unrendered } from "./visited.ts";
import type { Found, Visited } from "./visited.ts";

/** Why a page is not asked for. */
export const refusedByRobots = "The robots.txt of the host refuses the page.";

/** The visit of a page for which its host is not asked, by its address alone; undefined where it is. */
export async function unasked(
  { robots, spec }: Pick<Site, "robots" | "spec">,
  found: Found,
): Promise<Visited | undefined> {
  const url = new URL(found.key);
  const place = placeOf(found);
  const why = whySource(url.pathname);
  if (why !== undefined) return leftOut(place, "not_documentation", why);
  if (!(await robots.allows(url))) return leftOut(place, "robots", refusedByRobots);
  // A route of scripts is the same page for the host: only a browser knows what it says.
  return isRoute(spec, found.key) ? unrendered(place) : undefined;
}

/** Whether an address is a route of a site's scripts. */
export function isRoute({ keepHash }: Pick<Site["spec"], "keepHash">, key: string): boolean {
  return keepHash && new URL(key).hash !== "";
}

import type { PageRef } from "../../domain/ports.ts";
import { asksLogIn } from "../../extract/website/log-in.ts";
import type { Site } from "./site.ts";
import { atLogIn, leftOut } from "./visited.ts";
import type { Visited } from "./visited.ts";

/** Where a page that was asked for is after redirects to `url`, in the one form of addresses; or why it is left out there. */
export async function landing(
  { toAddress, isWanted, robots }: Pick<Site, "toAddress" | "isWanted" | "robots">,
  place: PageRef,
  url: URL,
): Promise<{ readonly address: string } | Visited> {
  const address = toAddress(url.href, place.key);
  if (address === undefined || !isWanted(address)) {
    if (asksLogIn(new URL(place.key), url)) return atLogIn(place, url);
    const why = "is not a page of the site. Submit it with another scope or base to read it.";
    return leftOut(place, "elsewhere", `It redirects to ${url.href}, which ${why}`);
  }
  if (address !== place.key && !(await robots.allows(new URL(address))))
    return leftOut(place, "robots", `It redirects to ${address}, which the robots.txt of the host refuses.`);
  return { address };
}

import { Failure } from "../../domain/failures.ts";
import { fetchText, twinOf } from "../lib/pages/fetching.ts";
import type { Fetched } from "../lib/pages/fetching.ts";
import type { Site } from "./site.ts";

/** Consecutive pages without a Markdown twin after which a host is not asked for more twins. */
const maxMissing = 3;

/**
 * Creates the search for the Markdown twin of a page of HTML, which is at the address that the page names (`named`), or else may be
 * beside it. Undefined: there is none.
 */
export function createTwinSearch({ client, context: { signal, limits }, toAddress, isWanted, robots }: Site) {
  const missing = new Map<string, number>();

  const fetchTwin = async (url: URL): Promise<Fetched | undefined> => {
    try {
      if (!(await robots.allows(url))) return undefined;
      const accept = "text/markdown, text/plain;q=0.9";
      const twin = await fetchText(client, url, { signal, maxBytes: limits.pageBytes, accept });
      return twin === "unchanged" || twin.mediaType === "text/html" ? undefined : twin;
    } catch (error) {
      // A host answers in many ways for what it does not have; the page itself was read.
      if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
      throw error;
    }
  };

  return async (key: string, page: URL, named: string | undefined): Promise<Fetched | undefined> => {
    if (named !== undefined) {
      const address = toAddress(named, page.href);
      return address === undefined || !isWanted(address) ? undefined : fetchTwin(new URL(named, page.href));
    }
    const count = missing.get(page.host) ?? 0;
    if (count >= maxMissing || new URL(key).hash !== "") return undefined;
    const twin = await fetchTwin(twinOf(page));
    missing.set(page.host, twin ? 0 : count + 1);
    return twin;
  };
}

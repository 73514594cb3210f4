import { Failure } from "../../../domain/failures.ts";
import { fetchText } from "../fetching.ts";
import { scanHtml } from "./scanning.ts";
import type { Site } from "./site.ts";
import { linksIn } from "./visit.ts";

/** Makes what reads only the links of a page, in their one form. A page that cannot be read has none. */
export function createLinkReader({ client, context, threads, toAddress }: Site): (key: string) => Promise<string[]> {
  const { signal, limits } = context;
  return async (key) => {
    try {
      const fetched = await fetchText(client, new URL(key), {
        signal,
        maxBytes: limits.pageBytes,
        accept: "text/html",
      });
      if (fetched === "unchanged" || fetched.mediaType !== "text/html") return [];
      const scan = await scanHtml(threads, { url: key, bytes: fetched.bytes });
      return linksIn(scan, fetched.url.href, toAddress);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      return [];
    }
  };
}

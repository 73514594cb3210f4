import { Failure } from "../../domain/failures.ts";
import { fetchText } from "../lib/pages/fetching.ts";
import { scanHtml } from "./scanning.ts";
import type { Site } from "./site.ts";

/** Reads only the links of a page to wanted pages, in their one form. A page that cannot be read has none. */
export async function linksOfPage({ client, context, threads, spec }: Site, key: string): Promise<readonly string[]> {
  const { signal, limits } = context;
  try {
    const request = { signal, maxBytes: limits.pageBytes, accept: "text/html" };
    const fetched = await fetchText(client, new URL(key), request);
    if (fetched === "unchanged" || fetched.mediaType !== "text/html") return [];
    const { links } = await scanHtml(threads, { url: fetched.url.href, bytes: fetched.bytes, spec });
    return links.addresses;
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return [];
  }
}

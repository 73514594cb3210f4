import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import { fetchText } from "../lib/pages/fetching.ts";
import type { Site } from "./site.ts";
import { unrendered, withFrom } from "./visited.ts";
import type { Found, Visited } from "./visited.ts";

/**
 * The visit of a page that is as the live generation has it, as its host or a list of the site says; undefined where it has to be
 * fetched. Its host is asked conditionally, where the page was found the last time.
 */
export async function keptPage(site: Site, found: Found, accept: string): Promise<Visited | undefined> {
  const { key, from, changed } = found;
  const { context, validators } = site;
  const page = context.earlier.page(key)?.page;
  if (page?.fingerprint.startsWith(site.optionsHash) !== true) return undefined;
  const { resource = page.key } = page;
  const sent = context.earlier.validators(resource);
  if (sent === undefined) return undefined;
  const ref = withFrom(page, from);
  if (sent.rendered) {
    validators.set(resource, sent);
    return { ...unrendered(ref), isUnchanged: true };
  }
  const hasValidators = sent.etag !== undefined || sent.lastModified !== undefined;
  const isUnchanged = hasValidators
    ? await isAnsweredUnchanged(site, new URL(resource), { accept, sent, key: page.key })
    : changed !== undefined && changed === sent.listed;
  if (!isUnchanged) return undefined;
  validators.set(resource, { ...sent, ...(changed !== undefined && { listed: changed }) });
  return { item: { type: "known", page: ref }, links: [], isUnchanged: true, words: sent.words ?? "" };
}

async function isAnsweredUnchanged(
  { client, context: { limits, signal } }: Site,
  resource: URL,
  { accept, sent, key }: { readonly accept: string; readonly sent: Validators; readonly key: string },
): Promise<boolean> {
  try {
    const request = { signal, maxBytes: limits.pageBytes, accept, validators: sent };
    return (await fetchText(client, resource, request)) === "unchanged";
  } catch (error) {
    // A Markdown twin may go while its page stays.
    if (error instanceof Failure && error.code === "source_not_found" && resource.href !== key) return false;
    throw error;
  }
}

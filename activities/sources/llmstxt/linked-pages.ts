import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { EarlierRef, PageRef, SourceItem } from "../../../domain/ports.ts";
import { createRobots } from "../../fetch/robots.ts";
import { inOrder } from "../../in-order.ts";
import { fetchText, hashOf, twinOf } from "../fetching.ts";
import type { Fetched } from "../fetching.ts";
import { announcePages, isWanted, keep, tooLarge } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Name by which robots.txt files know us. */
const robotName = "Lectern";

/** Maximum concurrent requests. */
const maxConcurrent = 4;

/** Hosts without a Markdown twin of so many pages in a row are not asked for more twins. */
const maxMissingTwins = 3;

const otherHost = {
  code: "other_host",
  reason: "The page is on another host than the file. Submit it with otherHosts to read such pages too.",
} as const;
const refusedByRobots = { code: "robots", reason: "The robots.txt of the host refuses the page." } as const;

/** The pages that an llms.txt lists, in its order. */
export async function* readLinkedPages(pages: readonly string[], reading: Reading): AsyncGenerator<SourceItem> {
  const { client, context } = reading;
  const { signal, limits, earlier } = context;
  announcePages(context, pages.length);
  const robots = createRobots(client, robotName, signal);
  const fetchPage = createFetching(reading);

  const read = async (key: string): Promise<SourceItem> => {
    const url = new URL(key);
    const last = earlier.page(key);
    const place: PageRef = last?.page ?? { key, url: key, mediaType: "", fingerprint: "", resource: key };
    if (!isWanted(reading, url)) return { type: "skipped", page: place, ...otherHost };
    try {
      if (!(await robots.allows(url))) return { type: "skipped", page: place, ...refusedByRobots };
      const { resource, fetched } = await fetchPage(url, last);
      if (fetched === "unchanged") {
        keep(reading, resource, earlier.validators(resource));
        return { type: "known", page: place };
      }
      if (!isWanted(reading, fetched.url)) return { type: "skipped", page: place, ...otherHost };
      keep(reading, resource, fetched.validators);
      const { bytes, mediaType } = fetched;
      const fingerprint = hashOf(Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]));
      const page: PageRef = { key, url: key, mediaType, fingerprint, resource };
      if (context.known(page)) return { type: "known", page };
      const lines = mediaType === "text/html" ? {} : { firstLine: 1 };
      return { type: "page", page, bytes, revision: `sha256-${fingerprint}`, ...lines };
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const { resource = key } = place;
      keep(reading, resource, earlier.validators(resource));
      return { type: "failed", page: place, failure: toFailureRecord(error) };
    }
  };

  let bytes = 0;
  for await (const item of inOrder(pages, read, { items: maxConcurrent, weight: maxConcurrent, weigh: () => 1 })) {
    bytes += item.type === "page" ? item.bytes.length : 0;
    if (bytes > limits.bytes)
      throw tooLarge(`The pages that it lists have more than the ${limits.bytes} bytes that are indexed.`);
    yield item;
  }
}

/** A page that was fetched, or found unchanged, and the address of the resource that it is in. */
interface LinkedPage {
  readonly resource: string;
  readonly fetched: Fetched | "unchanged";
}

/**
 * Fetches pages: as Markdown, where the server sends it for the address or has a twin of it (`page.md`), else as HTML. A page
 * is first asked for where it was found the last time.
 */
function createFetching({ client, context: { signal, limits, earlier } }: Reading) {
  const missingTwins = new Map<string, number>();

  /** Conditional only where the page was in this resource the last time: else there is nothing to keep. */
  const fetch = async (url: URL, last: EarlierRef | undefined): Promise<LinkedPage> => {
    const validators = last?.page.resource === url.href ? earlier.validators(url.href) : undefined;
    const fetched = await fetchText(client, url, { signal, maxBytes: limits.pageBytes, validators });
    return { resource: url.href, fetched };
  };

  /** The page as Markdown; undefined where it is not there, or HTML. */
  const fetchMarkdown = async (url: URL, last: EarlierRef | undefined): Promise<LinkedPage | undefined> => {
    try {
      const page = await fetch(url, last);
      return isMarkdown(page) ? page : undefined;
    } catch (error) {
      if (error instanceof Failure && (error.code === "source_not_found" || error.code === "source_invalid"))
        return undefined;
      throw error;
    }
  };

  /** @throws Failure */
  return async (url: URL, last: EarlierRef | undefined): Promise<LinkedPage> => {
    const resource = last?.page.resource ?? url.href;
    const same = resource === url.href ? undefined : await fetchMarkdown(new URL(resource), last);
    if (same) return same;
    const page = await fetch(url, last);
    const missing = missingTwins.get(url.host) ?? 0;
    if (isMarkdown(page) || /\.(?:mdx?|markdown|txt)$/i.test(url.pathname) || missing >= maxMissingTwins) return page;
    const twin = await fetchMarkdown(twinOf(url), last);
    missingTwins.set(url.host, twin ? 0 : missing + 1);
    return twin ?? page;
  };
}

/** An unchanged page is taken as what it was. */
function isMarkdown({ fetched }: LinkedPage): boolean {
  return fetched === "unchanged" || fetched.mediaType !== "text/html";
}

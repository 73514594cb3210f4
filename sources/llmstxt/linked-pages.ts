import { formats } from "../../extract/index.ts";
import { openApiPartType, sourceFileType } from "../../extract/formats.ts";
import { Failure, toFailureRecord } from "../../domain/failures.ts";
import { undefinedFor } from "../lib/fetch/failures.ts";
import type { EarlierRef, PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { maxDescriptionBytes } from "../lib/descriptions/referred-files.ts";
import { descriptionEndings, declaresVersion, orSkipReason } from "../lib/descriptions/in-tree.ts";
import { inOrder } from "../../domain/in-order.ts";
import { hashOf, fetchText, markdownTwinOf, type Fetched } from "../lib/pages/fetching.ts";
import { announcePages, tooLarge } from "../lib/pages/limits.ts";
import { itemOf } from "../lib/pages/revision.ts";
import { keepValidators, unreadPage, whyElsewhere, whyLeftOut, type Reading } from "./files.ts";
import { readFetchedDescription, toItems } from "../lib/descriptions/fetching.ts";
import { createDescriptionThread } from "../lib/descriptions/parsing.ts";

const maxConcurrent = 4;

/** Consecutive pages without a Markdown twin after which no more twins are requested from a host. */
const maxMissingTwins = 3;

/**
 * The pages that an llms.txt lists, in its order, with the operations of API descriptions among them. `others`: the number of other
 * pages of the library.
 * @throws Failure library_too_large
 */
export async function* readLinkedPages(
  { pages, more }: Pick<IndexFile, "pages" | "more">,
  reading: Reading,
  others = 0,
): AsyncGenerator<SourceItem> {
  const { context } = reading;
  const { signal, limits, earlier } = context;
  let count = others + pages.length + more;
  announcePages(context, count);
  const fetchPage = createPageFetch(reading);

  const read = async (key: string): Promise<readonly SourceItem[]> => {
    const url = new URL(key);
    const last = earlier.page(key);
    const unread = last?.page ?? unreadPage(key);
    // An API description has pages for its parts, but is no page itself.
    const parts = earlier.within(key).map(({ page }) => page);
    const kept = parts.every(({ mediaType }) => mediaType === openApiPartType) ? parts : [];
    const earlierPages = kept.length > 0 ? kept : [unread];
    try {
      const leftOut = await whyLeftOut(reading, url);
      if (leftOut) return [{ type: "skipped", page: unread, ...leftOut }];
      const { resource, fetched } = await fetchPage(url, last, kept.length > 0);
      if (fetched === "unchanged") {
        keepValidators(reading, resource, earlier.validators(resource));
        return earlierPages.map((page) => ({ type: "known", page }));
      }
      const elsewhere = whyElsewhere(reading, fetched);
      if (elsewhere) return [{ type: "skipped", page: unread, ...elsewhere }];
      const description = await readListedDescription(key, fetched, reading);
      if (description) return description;
      keepValidators(reading, resource, fetched.validators);
      return [toItem({ key, resource, fetched }, context)];
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      const { resource = key } = unread;
      keepValidators(reading, resource, earlier.validators(resource));
      const failure = toFailureRecord(error);
      return earlierPages.map((page) => ({ type: "failed", page, failure }));
    }
  };

  let bytes = 0;
  for await (const items of inOrder(pages, read, { items: maxConcurrent })) {
    if (items.length > 1) {
      count += items.length - 1;
      announcePages(context, count);
    }
    for (const item of items) {
      bytes += item.type === "page" ? item.bytes.length : 0;
      if (bytes > limits.bytes)
        throw tooLarge(`The pages that it lists have more than the ${limits.bytes} bytes that are indexed.`);
      yield item;
    }
  }
}

function toItem(
  { key, resource, fetched }: { readonly key: string; readonly resource: string; readonly fetched: Fetched },
  context: Pick<ReadContext, "known">,
): SourceItem {
  const { bytes, mediaType } = fetched;
  const fingerprint = hashOf(Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]));
  const page: PageRef = { key, url: key, mediaType, fingerprint, resource };
  const lines = formats.get(mediaType)?.hasLines === true ? { firstLine: 1 } : {};
  return itemOf(context, page, { bytes, ...lines });
}

/** A fetched or unchanged page, and the address of its resource. */
interface LinkedPage {
  readonly resource: string;
  readonly fetched: Fetched | "unchanged";
}

/**
 * Creates the function that fetches a page: as Markdown if the server sends that for its address or has a twin of it (`page.md`), else as
 * HTML. It tries the page's resource of the earlier run first.
 */
function createPageFetch({ client, context: { signal, limits, earlier } }: Reading) {
  const missingTwins = new Map<string, number>();

  /** Conditional only if the page was in this resource in the earlier run: otherwise it has no result to keep. */
  const fetch = async (url: URL, last: EarlierRef | undefined, isKept = false): Promise<LinkedPage> => {
    const hasResult = isKept || last?.page.resource === url.href;
    const validators = hasResult ? earlier.validators(url.href) : undefined;
    // An API description may be larger than a page.
    const maxBytes = isDataFile(url) ? Math.min(limits.bytes, maxDescriptionBytes) : limits.pageBytes;
    const fetched = await fetchText(client, url, { signal, maxBytes, validators, files: true });
    return { resource: url.href, fetched };
  };

  /** The page as Markdown; undefined if it is missing or HTML. */
  const fetchMarkdown = async (url: URL, last: EarlierRef | undefined): Promise<LinkedPage | undefined> => {
    const page = await fetch(url, last).catch(undefinedFor("source_not_found", "source_invalid"));
    return page && isMarkdown(page) ? page : undefined;
  };

  /** @throws Failure */
  return async (url: URL, last: EarlierRef | undefined, isKept: boolean): Promise<LinkedPage> => {
    const resource = last?.page.resource ?? url.href;
    const fromResource = resource === url.href ? undefined : await fetchMarkdown(new URL(resource), last);
    if (fromResource) return fromResource;
    const page = await fetch(url, last, isKept);
    const missing = missingTwins.get(url.host) ?? 0;
    if (isMarkdown(page) || /\.(?:mdx?|markdown|txt)$/i.test(url.pathname) || missing >= maxMissingTwins) return page;
    const twin = await fetchMarkdown(markdownTwinOf(url), last);
    missingTwins.set(url.host, twin ? 0 : missing + 1);
    return twin ?? page;
  };
}

/** Whether an address has the ending of an API description. */
function isDataFile({ pathname }: URL): boolean {
  return descriptionEndings.some((ending) => pathname.toLowerCase().endsWith(ending));
}

/** Whether a page is Markdown. An unchanged page counts as such, as it keeps its format. */
function isMarkdown({ fetched }: LinkedPage): boolean {
  return fetched === "unchanged" || fetched.mediaType !== "text/html";
}

/** Maximum number of lines with comments before the first key of a description. */
const maxComments = 200;

/**
 * The operations and schemas of a listed file if its content is an API description; undefined for any other file. A broken description is
 * skipped with the reason. Validators are kept only if it refers to no other file.
 * @throws Failure if a referred file is unreachable
 */
async function readListedDescription(
  key: string,
  { url, bytes, mediaType, validators }: Pick<Fetched, "url" | "bytes" | "mediaType" | "validators">,
  reading: Reading,
): Promise<readonly SourceItem[] | undefined> {
  const { client, pool, context } = reading;
  if (mediaType === "text/html" || !declaresVersion(bytes)) return undefined;
  const begins = beginsAsDescription(new TextDecoder().decode(bytes.subarray(0, 20_000)));
  if (mediaType !== sourceFileType && !begins) return undefined;
  const { signal, limits } = context;
  let refers = false;
  const cut = await orSkipReason(() =>
    readFetchedDescription({
      root: key,
      base: url.href,
      submitted: bytes,
      client,
      thread: createDescriptionThread(pool, signal),
      limits,
      signal,
      referred: () => {
        refers = true;
      },
    }),
  );
  if (!("code" in cut)) {
    if (!refers) keepValidators(reading, key, validators);
    return [...toItems(cut, key, context)];
  }
  return begins && mediaType === sourceFileType ? [{ type: "skipped", page: unreadPage(key), ...cut }] : undefined;
}

/** Whether a text is a JSON object, or YAML whose first key is the version of an API description. */
function beginsAsDescription(text: string): boolean {
  for (const line of text.replace(/^\uFEFF/, "").split("\n", maxComments)) {
    if (/^\s*(?:#|$)|^(?:---|%YAML)/.test(line)) continue;
    return /^\s*\{|^["']?(?:openapi|swagger)["']?\s*:/.test(line);
  }
  return false;
}

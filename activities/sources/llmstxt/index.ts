import { z } from "zod";
import { Failure, toFailureRecord } from "../../../domain/failures.ts";
import type { LlmsTxtSourceSpec } from "../../../domain/kinds/index.ts";
import type { EarlierRef, PageRef, ReadContext, Source, SourceItem } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/snippet.ts";
import type { CutPage } from "../../../extract/llmstxt/full-file.ts";
import type { IndexFile, ListedPage } from "../../../extract/llmstxt/index-file.ts";
import { createRobots } from "../../fetch/robots.ts";
import type { PoliteClient } from "../../fetch/polite.ts";
import { inOrder } from "../../in-order.ts";
import { isCommanding, toLine } from "../plain-text.ts";
import type { SourceReader, SourceTools } from "../reader.ts";
import type { ThreadPool } from "../../thread-pool.ts";
import { fetchText, hashOf } from "./fetching.ts";
import type { Fetched } from "./fetching.ts";
import { createLinkedPages } from "./linked-pages.ts";
import { parseFileOnThread } from "./parsing.ts";
import type { ParsedFile } from "./parsing.ts";

/** What the llms.txt source is made of. */
interface LlmsTxtSourceOptions extends Pick<SourceTools, "politeClient" | "guard" | "pool"> {
  /** Name by which robots.txt files know us. */
  readonly robotName: string;
}

/** How llms.txt files are read. */
export const llmsTxtReader: SourceReader<LlmsTxtSourceSpec> = {
  spec: z.object({ kind: z.literal("llmstxt"), url: z.url({ protocol: /^https?$/ }), otherHosts: z.boolean() }),
  create: ({ politeClient, guard, pool }) => createLlmsTxtSource({ politeClient, guard, pool, robotName: "Lectern" }),
};

/** Maximum concurrent requests, and the documents that wait to be handed over, in bytes. */
const maxConcurrent = 4;
const maxWaiting = 8_000_000;

/** Maximum size of a file, in bytes. */
const maxFileBytes = 50_000_000;

/** Share of the listed pages that an llms-full.txt has to hold to stand for all of them. */
const completeShare = 0.9;

/**
 * Reads an llms.txt: its llms-full.txt if that is complete, else the pages that it lists. An llms-full.txt or llms-small.txt
 * that was submitted itself is read alone.
 */
function createLlmsTxtSource(options: LlmsTxtSourceOptions): Source<LlmsTxtSourceSpec> {
  const { politeClient, guard, pool, robotName } = options;
  return {
    kind: "llmstxt",

    async resolve({ url }) {
      guard.checkUrl(new URL(url));
      return { revision: "", ref: null, location: url, refs: [] };
    },

    async *read(spec, _state, context) {
      const reading = { spec, client: politeClient(), pool, robotName, context };
      const revisions: string[] = [];
      const validators: Record<string, Validators> = {};
      for await (const item of readFile(reading, validators)) {
        revisions.push(`${item.page.key} ${item.page.fingerprint}\n`);
        yield item;
      }
      context.account?.({ revision: `sha256-${hashOf(revisions.toSorted().join(""))}`, validators });
    },
  };
}

interface Reading {
  readonly spec: LlmsTxtSourceSpec;
  readonly client: PoliteClient;
  readonly pool: ThreadPool;
  readonly robotName: string;
  readonly context: ReadContext;
}

type Validating = Record<string, Validators>;

async function* readFile(reading: Reading, validators: Validating): AsyncGenerator<SourceItem> {
  const { spec, client, context } = reading;
  const { signal, limits, earlier } = context;
  const url = new URL(spec.url);
  const request = { signal, maxBytes: Math.min(limits.bytes, maxFileBytes) };
  const isIndexName = /\/llms\.txt$/i.test(url.pathname);
  const file = await fetchText(
    client,
    url,
    isIndexName ? request : { ...request, validators: earlier.validators(url.href) },
  );
  if (file === "unchanged") {
    keep(validators, url.href, earlier.validators(url.href));
    yield* toKnown(earlier.within(url.href), context);
    return;
  }
  const parsed = await parse(file, reading);
  if ("pages" in parsed) {
    keep(validators, url.href, file.validators);
    yield* toItems(parsed.pages, url.href, context);
    return;
  }
  const { index } = parsed;
  say(index, context);
  if (isIndexName) {
    const full = await readSibling(reading, index, file.url, validators);
    if (full !== undefined) return yield* full;
  }
  yield* readLinked(index.pages, reading, validators);
}

/** The pages of the llms-full.txt beside an llms.txt; undefined if there is none, or it lacks pages that are listed. */
async function readSibling(
  reading: Reading,
  { pages }: IndexFile,
  index: URL,
  validators: Validating,
): Promise<Iterable<SourceItem> | undefined> {
  const { client, context } = reading;
  const { signal, limits, earlier } = context;
  const url = new URL("llms-full.txt", index);
  const listed = pages.filter((page) => isOnHost(page, reading.spec));
  const known = earlier.validators(url.href);
  try {
    const maxBytes = Math.min(limits.bytes, maxFileBytes);
    const file = await fetchText(client, url, { signal, maxBytes, validators: known });
    if (file === "unchanged") {
      const kept = earlier.within(url.href);
      const urls = kept.map(({ page }) => page.url);
      if (!isComplete(listed, urls)) return undefined;
      keep(validators, url.href, known);
      return toKnown(kept, context);
    }
    const parsed = await parse(file, reading);
    if (!("pages" in parsed)) return undefined;
    const urls = parsed.pages.map((page) => page.url);
    if (!isComplete(listed, urls)) return undefined;
    keep(validators, url.href, file.validators);
    return toItems(parsed.pages, url.href, context);
  } catch (error) {
    // Most sites have none, and answer that in many ways. One that only is out of reach now is waited for.
    if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
    throw error;
  }
}

/** Whether the pages of a file stand for those that are listed: by their addresses, or by their number if it names none. */
function isComplete(listed: readonly ListedPage[], urls: readonly string[]): boolean {
  if (listed.length === 0) return urls.length > 0;
  const bare = new Set(urls.map(bareAddress));
  const found = listed.filter(({ url }) => bare.has(bareAddress(url))).length;
  return found >= listed.length * completeShare || (bare.size <= 1 && urls.length >= listed.length);
}

/** An address without what two ways to write it differ in. */
function bareAddress(address: string): string {
  const url = new URL(address);
  return `${url.host}${url.pathname
    .replace(/(?:\/index(?:\.html)?)?(?:\.mdx?)?$/i, "")
    .replace(/\.html$/i, "")
    .replace(/\/+$/, "")}`;
}

/** The pages of an llms-full.txt. */
function* toItems(pages: readonly CutPage[], resource: string, context: ReadContext): Generator<SourceItem> {
  checkCount(pages.length, context);
  context.pages(pages.length);
  const seen = new Map<string, number>();
  for (const { url, text: own, firstLine } of pages) {
    const count = (seen.get(url) ?? 0) + 1;
    seen.set(url, count);
    const key = count === 1 ? url : `${url} (${count})`;
    const fingerprint = hashOf(`${firstLine}\n${own}`);
    const page = { key, url, mediaType: "text/markdown", fingerprint, resource };
    if (context.known(page)) yield { type: "known", page };
    else yield { type: "page", page, bytes: Buffer.from(own), firstLine, revision: `sha256-${fingerprint}` };
  }
}

/** The pages that an llms.txt lists, in its order. */
async function* readLinked(
  pages: readonly ListedPage[],
  { spec, client, robotName, context }: Reading,
  validators: Validating,
): AsyncGenerator<SourceItem> {
  const { signal, limits, earlier } = context;
  checkCount(pages.length, context);
  context.pages(pages.length);
  const robots = createRobots(client, robotName, signal);
  const fetchPage = createLinkedPages({ client, signal, maxBytes: limits.pageBytes, validators: earlier.validators });

  const read = async (listed: ListedPage): Promise<SourceItem> => {
    const { url } = listed;
    const last = earlier.page(url);
    const place: PageRef = last?.page ?? { key: url, url, mediaType: "", fingerprint: "", resource: url };
    if (!isOnHost(listed, spec)) return { type: "skipped", page: place, ...otherHost };
    try {
      if (!(await robots.allows(new URL(url)))) return { type: "skipped", page: place, ...refusedByRobots };
      const { resource, fetched } = await fetchPage(url, last);
      if (fetched === "unchanged") {
        if (last === undefined)
          throw new Failure("source_invalid", `${url} is said to be unchanged, and never was read.`);
        keep(validators, resource, earlier.validators(resource));
        return { type: "known", page: last.page };
      }
      keep(validators, resource, fetched.validators);
      const fingerprint = hashOf(Buffer.concat([Buffer.from(`${fetched.mediaType}\n`), fetched.bytes]));
      const page: PageRef = { key: url, url, mediaType: fetched.mediaType, fingerprint, resource };
      if (context.known(page)) return { type: "known", page };
      const lines = fetched.mediaType === "text/html" ? {} : { firstLine: 1 };
      return { type: "page", page, bytes: fetched.bytes, revision: `sha256-${fingerprint}`, ...lines };
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      if (last?.page.resource !== undefined)
        keep(validators, last.page.resource, earlier.validators(last.page.resource));
      return { type: "failed", page: place, failure: toFailureRecord(error) };
    }
  };

  let bytes = 0;
  const weigh = (): number => limits.pageBytes / maxConcurrent;
  for await (const item of inOrder(pages.values(), read, {
    items: maxConcurrent,
    weight: Math.max(maxWaiting, limits.pageBytes),
    weigh,
  })) {
    bytes += item.type === "page" ? item.bytes.length : 0;
    if (bytes > limits.bytes)
      throw tooLarge(`The pages that it lists have more than the ${limits.bytes} bytes that are indexed.`);
    yield item;
  }
}

function* toKnown(kept: readonly EarlierRef[], context: ReadContext): Generator<SourceItem> {
  context.pages(kept.length);
  for (const { page } of kept) yield { type: "known", page };
}

/** What the file says of the library: capped, and left out where it tries to command its reader. */
function say({ title, summary }: IndexFile, { account }: ReadContext): void {
  const said = { title: toLine(title).slice(0, 100), description: toLine(summary).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== "" && !isCommanding(text)));
  if (Object.keys(settings).length > 0) account?.({ settings });
}

/** @throws Failure source_invalid for HTML: servers answer so for what they do not have */
function parse({ url, mediaType, bytes }: Fetched, { spec, pool, context }: Reading): Promise<ParsedFile> {
  const hosts = new Set([new URL(spec.url).host]);
  if (mediaType !== "text/html") return parseFileOnThread(pool, { url: url.href, bytes, hosts }, context.signal);
  throw new Failure("source_invalid", `${url.href} is a page of HTML, and no llms.txt. Check the address.`);
}

function isOnHost({ url }: ListedPage, { url: own, otherHosts }: LlmsTxtSourceSpec): boolean {
  return otherHosts || new URL(url).host === new URL(own).host;
}

function keep(validators: Validating, resource: string, found: Validators | undefined): void {
  if (found !== undefined) validators[resource] = found;
}

function checkCount(count: number, { limits }: ReadContext): void {
  if (count > limits.pages)
    throw tooLarge(`The file has ${count} pages, more than the ${limits.pages} that are indexed.`);
}

function tooLarge(problem: string): Failure {
  return new Failure("library_too_large", `${problem} Raise MAX_PAGES or MAX_BYTES.`);
}

const otherHost = {
  code: "other_host",
  reason: "The page is on another host than the file. Submit it with otherHosts to read such pages too.",
} as const;
const refusedByRobots = { code: "robots", reason: "The robots.txt of the host refuses the page." } as const;

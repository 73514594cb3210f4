import { z } from "zod";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { EarlierRef, PageRef, Source, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { hasOwnAddresses, isComplete, missingFrom, type CutFile } from "../../extract/llmstxt/full-file.ts";
import { createRobots } from "../lib/fetch/obey-robots.ts";
import type { SourceReader, SourceTools } from "../source-reader.ts";
import { announcePages } from "../lib/pages/limits.ts";
import { revisionOf } from "../lib/pages/revision.ts";
import { sourceSettings } from "../lib/pages/settings.ts";
import { countPages, fetchFile, parse, toItems, addressesOf, keepValidators, isWanted, type Reading } from "./files.ts";
import { followLists, type Listed, type ListedDocument } from "./lists.ts";
import { Failure } from "../../domain/failures.ts";
import { isSourceFile } from "../../extract/source-file.ts";
import { readLinkedPages } from "./linked-pages.ts";

/** The reader of llms.txt files. */
export const llmsTxtReader: SourceReader<LlmsTxtSourceSpec> = {
  spec: z.object({ kind: z.literal("llmstxt"), url: z.url({ protocol: /^https?$/ }), otherHosts: z.boolean() }),
  create: createLlmsTxtSource,
};

/**
 * Creates the source that reads an llms.txt: the llms-full.txt next to it if that is complete, else the pages that it and the lists in it
 * name. If an llms-full.txt or llms-small.txt was submitted, only that file is read.
 */
function createLlmsTxtSource({ politeClient, guard, pool }: SourceTools): Source<LlmsTxtSourceSpec> {
  return {
    kind: "llmstxt",

    async resolve({ url }) {
      guard.checkUrl(new URL(url));
      return { revision: "", ref: null, location: url, refs: [] };
    },

    async *read(spec, _state, context) {
      const hosts = new Set([new URL(spec.url).host]);
      const validators = new Map<string, Validators>();
      const client = politeClient();
      const robots = createRobots(client, { pool, signal: context.signal });
      const notes: string[] = [];
      const pages = new Map<string, PageRef>();
      for await (const item of readFile({ spec, client, pool, context, hosts, robots, notes, validators })) {
        // A page can be listed, and also be part of a listed file.
        if (pages.has(item.page.key)) continue;
        pages.set(item.page.key, item.page);
        yield item;
      }
      context.account?.({
        revision: revisionOf([...pages.values()]),
        validators: Object.fromEntries(validators),
        ...(notes.length > 0 && { notes }),
      });
    },
  };
}

async function* readFile(reading: Reading): AsyncGenerator<SourceItem> {
  const { spec, context, hosts } = reading;
  const url = new URL(spec.url);
  const mayList = /\/llms\.txt$/i.test(url.pathname);
  // A list is fetched unconditionally, as its pages are not stored.
  const known = mayList ? undefined : context.earlier.validators(url.href);
  const file = await fetchFile(reading, url, known);
  if (file === "unchanged") return yield* readPagesIn(context.earlier.within(url.href), reading);
  hosts.add(file.url.host);
  const parsed = await parse(file, reading);
  if (!("index" in parsed)) {
    keepValidators(reading, url.href, file.validators);
    return yield* readPagesIn(parsed, reading);
  }
  const { index } = parsed;
  const settings = sourceSettings(index.title, index.summary);
  if (settings) context.account?.({ settings });
  const listed = await followLists(index, [url.href, file.url.href], reading);
  if ("pages" in parsed) yield* toItems(parsed, url.href, context);
  yield* readListed(listed, mayList ? new URL("llms-full.txt", file.url) : undefined, reading);
}

/** The pages in the submitted file. */
function* readPagesIn(content: CutFile | readonly EarlierRef[], { spec, context }: Reading): Generator<SourceItem> {
  announcePages(context, countPages(content));
  yield* toItems(content, new URL(spec.url).href, context);
}

/**
 * The pages that an llms.txt lists. If the llms-full.txt next to it (`sibling`) is complete, they come from that, and files that it cannot
 * contain from their own addresses. Otherwise all come from their own addresses, or from the llms-full.txt if none of these can be read.
 */
async function* readListed(listed: Listed, sibling: URL | undefined, reading: Reading): AsyncGenerator<SourceItem> {
  const full = sibling && (await readSibling(sibling, reading));
  const contained = { resource: full?.resource ?? "", urls: full ? addressesOf(full.content) : [] };
  const wanted = [...listed.pages, ...listed.documents.flatMap(({ content }) => addressesOf(content))].filter(
    (page) => isWanted(reading, new URL(page)) && !isSourceFile(page),
  );
  if (full && isComplete(wanted, contained)) {
    keepValidators(reading, full.resource, full.validators);
    const pages = hasOwnAddresses(contained) ? missingFrom(listed.pages, contained) : listed.pages.filter(isSourceFile);
    const count = countPages(full.content);
    announcePages(reading.context, count);
    yield* toItems(full.content, full.resource, reading.context);
    if (pages.length > 0) yield* readLinkedPages({ pages, more: 0 }, reading, count);
    return;
  }
  yield* withFallback(readEach(listed, reading), full, reading);
}

/** The pages in listed documents, then the listed pages, then unread lists. */
async function* readEach(listed: Listed, reading: Reading): AsyncGenerator<SourceItem> {
  const { documents, pages, more, unread } = listed;
  const count = documents.reduce((sum, { content }) => sum + countPages(content), 0);
  announcePages(reading.context, count + pages.length + more);
  for (const { content, resource } of documents) yield* toItems(content, resource, reading.context);
  yield* withFallbackPerList(readLinkedPages({ pages, more }, reading, count), listed, reading);
  yield* unread;
}

/** Replaces the items of a list, which are consecutive, by those of the llms-full.txt next to it if all its pages fail. */
async function* withFallbackPerList(
  items: AsyncIterable<SourceItem>,
  { listedBy }: Listed,
  reading: Reading,
): AsyncGenerator<SourceItem> {
  let list: string | undefined;
  const unreadItems: SourceItem[] = [];
  const endList = async function* (): AsyncGenerator<SourceItem> {
    const needsFull = list !== undefined && unreadItems.length > 0;
    const full = needsFull ? await readSibling(new URL("llms-full.txt", list), reading) : undefined;
    yield* withFallback(unreadItems.splice(0), full, reading);
  };
  let isRead = true;
  for await (const item of items) {
    const itsList = listedBy.get(item.page.resource ?? item.page.key) ?? listedBy.get(item.page.key);
    if (itsList !== list) {
      yield* endList();
      list = itsList;
      isRead = itsList === undefined;
    }
    if (!isRead && (item.type === "failed" || item.type === "skipped")) {
      unreadItems.push(item);
      continue;
    }
    isRead = true;
    yield* unreadItems.splice(0);
    yield item;
  }
  yield* endList();
}

/** The items, or those of an llms-full.txt if all pages fail and the live generation lacks any of them. */
async function* withFallback(
  items: AsyncIterable<SourceItem> | Iterable<SourceItem>,
  full: Sibling | undefined,
  reading: Reading,
): AsyncGenerator<SourceItem> {
  const failed: SourceItem[] = [];
  let isRead = false;
  let isLacking = false;
  for await (const item of items) {
    if (!isRead && item.type === "failed") {
      isLacking ||= reading.context.earlier.page(item.page.key) === undefined;
      failed.push(item);
      continue;
    }
    if (item.type !== "skipped" && !isRead) {
      isRead = true;
      yield* failed.splice(0);
    }
    yield item;
  }
  if (!isRead && isLacking && full !== undefined) {
    keepValidators(reading, full.resource, full.validators);
    reading.notes.push(`None of the pages that it lists can be read: ${full.resource} is read in their place.`);
    announcePages(reading.context, countPages(full.content) + failed.length);
    yield* toItems(full.content, full.resource, reading.context);
  }
  yield* failed;
}

/** The llms-full.txt next to an llms.txt. */
interface Sibling extends ListedDocument {
  readonly validators: Validators | undefined;
}

/** Reads the llms-full.txt next to an llms.txt; undefined without one. @throws Failure source_unreachable */
async function readSibling(url: URL, reading: Reading): Promise<Sibling | undefined> {
  const { earlier } = reading.context;
  const resource = url.href;
  const known = earlier.validators(resource);
  try {
    const file = await fetchFile(reading, url, known);
    if (file === "unchanged") return { resource, content: earlier.within(resource), validators: known };
    const parsed = await parse(file, reading);
    return "pages" in parsed ? { resource, content: parsed, validators: file.validators } : undefined;
  } catch (error) {
    // Most sites have none, and answer in many ways. A retry helps only if the host is unreachable.
    if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
    throw error;
  }
}

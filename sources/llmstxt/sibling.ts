import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { SourceItem } from "../../domain/ports.ts";
import { hasOwnAddresses, isComplete, missingFrom } from "../../extract/llmstxt/completeness.ts";
import { isSourceFile } from "../../extract/source-file.ts";
import { announcePages } from "../lib/pages/limits.ts";
import { addressesOf, countPages, fetchFile, parse, toItems } from "./files.ts";
import { readLinkedPages } from "./linked-pages.ts";
import type { Listed, ListedDocument } from "./lists.ts";
import { isWanted, keepValidators } from "./reading.ts";
import type { Reading } from "./reading.ts";

/**
 * The pages that an llms.txt lists: from the llms-full.txt beside it (`sibling`) if that is complete, with the files that it cannot
 * contain; else from their own addresses, or from the llms-full.txt if none of these can be read.
 */
export async function* readListed(
  listed: Listed,
  sibling: URL | undefined,
  reading: Reading,
): AsyncGenerator<SourceItem> {
  const full = sibling && (await readSibling(sibling, reading));
  const held = { resource: full?.resource ?? "", urls: full ? addressesOf(full.content) : [] };
  const wanted = [...listed.pages, ...listed.documents.flatMap(({ content }) => addressesOf(content))].filter(
    (page) => isWanted(reading, new URL(page)) && !isSourceFile(page),
  );
  if (full && isComplete(wanted, held)) {
    keepValidators(reading, full.resource, full.validators);
    const pages = hasOwnAddresses(held)
      ? missingFrom(listed.pages, held)
      : listed.pages.filter((page) => isSourceFile(page));
    const count = countPages(full.content);
    announcePages(reading.context, count);
    yield* toItems(full.content, full.resource, reading.context);
    if (pages.length > 0) yield* readLinkedPages({ pages, more: 0 }, reading, count);
    return;
  }
  yield* withFallback(readEach(listed, reading), full, reading);
}

/** The pages in listed documents, then the listed pages, then the lists that are not read. */
async function* readEach(listed: Listed, reading: Reading): AsyncGenerator<SourceItem> {
  const { documents, pages, more, unread } = listed;
  const count = documents.reduce((sum, { content }) => sum + countPages(content), 0);
  announcePages(reading.context, count + pages.length + more);
  for (const { content, resource } of documents) yield* toItems(content, resource, reading.context);
  yield* withFallbackPerList(readLinkedPages({ pages, more }, reading, count), listed, reading);
  yield* unread;
}

/** The items; where all pages of a list fail, those of the llms-full.txt beside the list. Pages of a list follow each other. */
async function* withFallbackPerList(
  items: AsyncIterable<SourceItem>,
  { listedBy }: Listed,
  reading: Reading,
): AsyncGenerator<SourceItem> {
  let list: string | undefined;
  const waiting: SourceItem[] = [];
  const end = async function* (): AsyncGenerator<SourceItem> {
    const full =
      list === undefined || waiting.length === 0
        ? undefined
        : await readSibling(new URL("llms-full.txt", list), reading);
    yield* withFallback(waiting.splice(0), full, reading);
  };
  let isRead = true;
  for await (const item of items) {
    const whose = listedBy.get(item.page.resource ?? item.page.key) ?? listedBy.get(item.page.key);
    if (whose !== list) {
      yield* end();
      list = whose;
      isRead = whose === undefined;
    }
    if (!isRead && (item.type === "failed" || item.type === "skipped")) {
      waiting.push(item);
      continue;
    }
    isRead = true;
    yield* waiting.splice(0);
    yield item;
  }
  yield* end();
}

/** The items, or those of an llms-full.txt if all pages fail that are not in the live generation. */
async function* withFallback(
  items: AsyncIterable<SourceItem> | Iterable<SourceItem>,
  full: Sibling | undefined,
  reading: Reading,
): AsyncGenerator<SourceItem> {
  const failed: SourceItem[] = [];
  let isRead = false;
  for await (const item of items) {
    if (!isRead && item.type === "failed" && reading.context.earlier.page(item.page.key) === undefined) {
      failed.push(item);
      continue;
    }
    if (item.type !== "skipped" && !isRead) {
      isRead = true;
      yield* failed.splice(0);
    }
    yield item;
  }
  if (!isRead && failed.length > 0 && full !== undefined) {
    keepValidators(reading, full.resource, full.validators);
    reading.notes.push(`None of the pages that it lists can be read: ${full.resource} is read in their place.`);
    announcePages(reading.context, countPages(full.content) + failed.length);
    yield* toItems(full.content, full.resource, reading.context);
  }
  yield* failed;
}

/** The llms-full.txt beside an llms.txt. */
interface Sibling extends ListedDocument {
  readonly validators: Validators | undefined;
}

/** Reads the llms-full.txt beside an llms.txt; undefined if there is none. @throws Failure source_unreachable */
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
    // Most sites have none, and say so in many ways. A retry helps only if the host is unreachable.
    if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
    throw error;
  }
}

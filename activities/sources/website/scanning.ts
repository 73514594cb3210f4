import { parseIndexFile } from "../../../extract/llmstxt/index-file.ts";
import { needsBrowser } from "../../../extract/html/emptiness.ts";
import { readSitemap, searchIndexes } from "../../../extract/website/lists.ts";
import type { Sitemap } from "../../../extract/website/lists.ts";
import { scanPage } from "../../../extract/website/scan.ts";
import type { Scan } from "../../../extract/website/scan.ts";
import { Failure } from "../../../domain/failures.ts";
import { TaskTimeout } from "../../thread-pool.ts";
import type { ThreadPool } from "../../thread-pool.ts";

/** A text of a site, in UTF-8, and what it is to be read as. */
export interface Scanned {
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** What a crawl needs of a page. */
export interface PageScan extends Scan {
  /** Without a browser it says next to nothing. */
  readonly isEmpty: boolean;
}

/** What reading a text on a thread needs. */
export interface Threads {
  readonly pool: ThreadPool;
  readonly signal: AbortSignal;
}

/** Processor time that a text may take of its thread, in milliseconds. */
const maxCpu = 10_000;

/** Reads links and directives of a page of HTML on a thread: it may be large, and hostile. @throws Failure source_invalid */
export function scanHtml(threads: Threads, text: Scanned): Promise<PageScan> {
  return onThread(threads, "htmlOf", text);
}

/** Addresses that a page of Markdown links to, absolute. @throws Failure source_invalid */
export function scanMarkdown(threads: Threads, text: Scanned): Promise<readonly string[]> {
  return onThread(threads, "linksOf", text);
}

/** Reads a sitemap. @throws Failure source_invalid */
export function scanSitemap(threads: Threads, text: Scanned): Promise<Sitemap> {
  return onThread(threads, "sitemapOf", text);
}

/** Addresses in the index of a site's search, by its number in `searchIndexes`. @throws Failure source_invalid */
export function scanSearchIndex(
  threads: Threads,
  text: Scanned & { readonly index: number },
): Promise<readonly string[] | undefined> {
  return onThread(threads, "searchIndexOf", text);
}

async function onThread<Input extends Scanned, Output>(
  { pool, signal }: Threads,
  name: string,
  text: Input,
): Promise<Output> {
  try {
    const task = { module: new URL(import.meta.url), name };
    return await pool.run<Input, Output>(task, text, { signal, maxCpu, group: signal });
  } catch (cause) {
    if (!(cause instanceof TaskTimeout)) throw cause;
    throw new Failure("source_invalid", `${text.url} is too slow to read.`, { cause });
  }
}

export function htmlOf({ bytes }: Scanned): PageScan {
  const text = textOf(bytes);
  return { ...scanPage(text), isEmpty: needsBrowser(text) };
}

export function linksOf({ bytes, url }: Scanned): readonly string[] {
  return parseIndexFile(textOf(bytes), url).pages;
}

export function sitemapOf({ bytes }: Scanned): Sitemap {
  return readSitemap(textOf(bytes));
}

export function searchIndexOf({ bytes, index }: Scanned & { readonly index: number }): readonly string[] | undefined {
  return searchIndexes[index]?.pagesIn(textOf(bytes));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

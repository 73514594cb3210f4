import { cutFullFile } from "../../extract/llmstxt/full-file.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import { isIndexFile, parseIndexFile } from "../../extract/llmstxt/index-file.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { Threads } from "../../threads/parse-text.ts";

/** A file as it was fetched, and the hosts that it may speak for. */
export interface FetchedFile {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hosts: ReadonlySet<string>;
  /** Pages that are wanted, at most: of further ones only the number. */
  readonly maxPages: number;
}

/** What a file is: a list of pages, or the pages themselves. */
export type ParsedFile = { readonly index: IndexFile } | CutFile;

/** Where `parseFile` is, for threads to find it. */
const parsing = { module: new URL(import.meta.url), name: "parseFile" };

/** Parses a file on a thread: it may be large, and hostile. @throws Failure source_invalid if that takes too much time or memory */
export function parseFileOnThread(threads: Threads, file: FetchedFile): Promise<ParsedFile> {
  return parseText(threads, parsing, file, file.url);
}

/** Parses a file. */
export function parseFile({ url, bytes, hosts, maxPages }: FetchedFile): ParsedFile {
  const text = new TextDecoder().decode(bytes);
  if (isIndexFile(text)) return { index: parseIndexFile(text, url, maxPages) };
  return cutFullFile(text, url, hosts, maxPages);
}

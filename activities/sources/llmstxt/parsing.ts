import { Failure } from "../../../domain/failures.ts";
import { cutFullFile } from "../../../extract/llmstxt/full-file.ts";
import type { CutPage } from "../../../extract/llmstxt/full-file.ts";
import { isIndexFile, parseIndexFile } from "../../../extract/llmstxt/index-file.ts";
import type { IndexFile } from "../../../extract/llmstxt/index-file.ts";
import { TaskTimeout } from "../../thread-pool.ts";
import type { ThreadPool } from "../../thread-pool.ts";

/** A file as it was fetched, and the hosts that it may speak for. */
export interface FetchedFile {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hosts: ReadonlySet<string>;
}

/** What a file is: a list of pages, or the pages themselves. */
export type ParsedFile = { readonly index: IndexFile } | { readonly pages: readonly CutPage[] };

/** Where `parseFile` is, for threads to find it. */
const parsing = { module: new URL(import.meta.url), name: "parseFile" };

/** Processor time that a file may take of its thread, in milliseconds. */
const maxCpu = 10_000;

/** Parses a file on a thread: it may be large, and hostile. @throws Failure source_invalid if that takes too long */
export async function parseFileOnThread(pool: ThreadPool, file: FetchedFile, signal: AbortSignal): Promise<ParsedFile> {
  try {
    return await pool.run<FetchedFile, ParsedFile>(parsing, file, { signal, maxCpu, group: signal });
  } catch (cause) {
    if (!(cause instanceof TaskTimeout)) throw cause;
    throw new Failure("source_invalid", `${file.url} is too slow to read.`, { cause });
  }
}

/** Parses a file. */
export function parseFile({ url, bytes, hosts }: FetchedFile): ParsedFile {
  const text = new TextDecoder().decode(bytes);
  return isIndexFile(text) ? { index: parseIndexFile(text, url) } : { pages: cutFullFile(text, url, hosts) };
}

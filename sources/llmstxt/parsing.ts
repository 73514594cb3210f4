import { decodeText, type DecodedText } from "../../extract/decode.ts";
import { cutFullFile, hasOwnAddresses, type CutFile } from "../../extract/llmstxt/full-file.ts";
import { isIndexFile, parseIndexFile, parseListsIn, type IndexFile } from "../../extract/llmstxt/index-file.ts";
import { parseText, type Threads } from "../lib/threads/thread-pool.ts";

/** A fetched file, and the hosts of its pages. */
export interface FetchedFile {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hosts: ReadonlySet<string>;
  /** Maximum number of pages; further ones are only counted. */
  readonly maxPages: number;
}

/** A parsed file: a list of pages, the pages themselves, or both. */
export type ParsedFile = ({ readonly index: IndexFile } | (CutFile & { readonly index?: IndexFile })) &
  Pick<DecodedText, "guessed">;

const parsing = { module: new URL(import.meta.url), name: "parseFile" };

/** Parses a file on a thread, as it may be large or hostile. @throws Failure source_invalid if that takes too much time or memory */
export function parseFileOnThread(threads: Threads, file: FetchedFile): Promise<ParsedFile> {
  return parseText(threads, parsing, file, file.url);
}

/** Parses a file. */
export function parseFile({ url, bytes, hosts, maxPages }: FetchedFile): ParsedFile {
  const { text, ...encoding } = decodeText(bytes);
  if (isIndexFile(text)) return { index: parseIndexFile(text, url, maxPages), ...encoding };
  const cut = cutFullFile(text, url, hosts, maxPages);
  // A file with the text of its pages, each with its address, links from each of them to others.
  const isFull =
    !/\/llms\.txt$/i.test(new URL(url).pathname) ||
    hasOwnAddresses({ resource: url, urls: cut.pages.map((page) => page.url) });
  const index = isFull ? undefined : parseListsIn(text, url, hosts, maxPages);
  return { ...cut, ...encoding, ...(index && { index }) };
}

import { Failure, toFailureRecord } from "../../domain/failures.ts";
import type { EarlierRef, SourceItem } from "../../domain/ports.ts";
import { bareAddress, type CutFile } from "../../extract/llmstxt/full-file.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { tooLarge } from "../lib/pages/limits.ts";
import { fetchFile, parse, keepValidators, unreadPage, whyElsewhere, whyLeftOut, type Reading } from "./files.ts";

/** Maximum depth of lists from the submitted one, and their maximum number. */
const maxDepth = 3;
const maxLists = 100;
/** Maximum number of lists that a note names. */
const maxNamed = 5;

/** Names of files that are lists or contain pages, depending on their content. */
const listName = /\/llms(?:[-_.][\w.-]{1,60})?\.txt$/i;
/** Names of Markdown files. */
const markdownName = /\.mdx?(?:\?|$)/i;
/** Names of variants of an llms.txt in the same folder, which repeat its content. */
const otherSize = /\/llms-(?:full|small|medium|ctx|ctx-full)\.txt$/i;

/** A listed file that contains pages: as it was cut, or its pages in the live generation if it is unchanged. */
export interface ListedDocument {
  readonly resource: string;
  readonly content: CutFile | readonly EarlierRef[];
}

/** The content of an llms.txt and of the lists in it. */
export interface Listed {
  /** Addresses of pages, each once. */
  readonly pages: readonly string[];
  /** Number of further pages, beyond the limit. */
  readonly more: number;
  readonly documents: readonly ListedDocument[];
  /** The address of the list that names a page, by the page's address, for pages that the llms.txt doesn't name itself. */
  readonly listedBy: ReadonlyMap<string, string>;
  /** Items of unread lists, with the reason. */
  readonly unread: readonly SourceItem[];
}

interface Step {
  readonly url: string;
  readonly depth: number;
}

/**
 * Follows the lists in an llms.txt breadth first, each once, on hosts whose pages are read, if their robots.txt permits it. `own` has the
 * addresses of the submitted file.
 * @throws Failure library_too_large; source_unreachable in a refresh, which would lose the pages of an unreachable list
 */
export async function followLists(index: IndexFile, own: readonly string[], reading: Reading): Promise<Listed> {
  const { limits, earlier } = reading.context;
  const pages = new Set<string>();
  const documents: ListedDocument[] = [];
  const unread: SourceItem[] = [];
  const knownLists = new Set(own);
  const steps: Step[] = [];
  const followed: string[] = [];
  let [more, unfollowed, bytes] = [0, 0, 0];

  const listedBy = new Map<string, string>();
  const addPages = (parsed: IndexFile, depth: number, list?: string): void => {
    more += parsed.more;
    for (const url of parsed.pages) {
      if (!listName.test(new URL(url).pathname)) {
        if (pages.has(url)) continue;
        if (pages.size < limits.pages) {
          pages.add(url);
          if (list !== undefined) listedBy.set(url, list);
        } else more += 1;
      } else if (!knownLists.has(url)) {
        knownLists.add(url);
        steps.push({ url, depth: depth + 1 });
      }
    }
  };
  const isOtherSize = ({ url }: Step): boolean =>
    otherSize.test(new URL(url).pathname) && knownLists.has(new URL("llms.txt", url).href);

  const read = async (key: string, depth: number): Promise<SourceItem | undefined> => {
    const url = new URL(key);
    const leftOut = await whyLeftOut(reading, url);
    if (leftOut) return { type: "skipped", page: unreadPage(key), ...leftOut };
    const kept = earlier.within(key);
    const file = await fetchFile(reading, url, kept.length > 0 ? earlier.validators(key) : undefined);
    if (file === "unchanged") {
      documents.push({ resource: key, content: kept });
      return undefined;
    }
    const elsewhere = whyElsewhere(reading, file);
    if (elsewhere) return { type: "skipped", page: unreadPage(key), ...elsewhere };
    bytes += file.bytes.length;
    if (bytes > limits.bytes)
      throw tooLarge(`The files that it lists have more than the ${limits.bytes} bytes that are indexed.`);
    const parsed = await parse(file, reading);
    if ("pages" in parsed) documents.push({ resource: key, content: parsed });
    if (parsed.index !== undefined) addPages(parsed.index, depth, file.url.href);
    // The pages of a list are not stored with it, so it is fetched unconditionally.
    else keepValidators(reading, key, file.validators);
    return undefined;
  };

  addPages(index, 0);
  // The array grows while it is iterated.
  for (const step of steps) {
    if (isOtherSize(step)) continue;
    if (step.depth > maxDepth || followed.length >= maxLists) {
      unfollowed += 1;
      continue;
    }
    try {
      const item = await read(step.url, step.depth);
      if (item) unread.push(item);
      else followed.push(step.url);
    } catch (error) {
      if (reading.context.signal.aborted || !(error instanceof Failure) || error.code === "library_too_large")
        throw error;
      if (error.code === "source_unreachable" && earlier.fetched.length > 0) throw error;
      unread.push({ type: "failed", page: unreadPage(step.url), failure: toFailureRecord(error) });
    }
  }
  reading.notes.push(...notesOf(followed, unfollowed));
  // A page whose Markdown is listed too is read from that.
  const markdown = new Set([...pages].filter((url) => markdownName.test(url)).map(bareAddress));
  const once = [...pages].filter((url) => markdownName.test(url) || !markdown.has(bareAddress(url)));
  return { pages: once, more, documents, listedBy, unread };
}

function notesOf(followed: readonly string[], unfollowed: number): string[] {
  const shown = followed.slice(0, maxNamed).join(", ");
  const further = followed.length > maxNamed ? ` and ${followed.length - maxNamed} more` : "";
  const files = followed.length === 1 ? "another file" : `${followed.length} other files`;
  const unread = unfollowed === 1 ? "1 file that it lists is" : `${unfollowed} files that it lists are`;
  const limits = `Lists are followed to a depth of ${maxDepth}, and ${maxLists} of them at most.`;
  return [
    ...(followed.length > 0 ? [`It lists ${files}, whose pages are read too: ${shown}${further}.`] : []),
    ...(unfollowed > 0 ? [`${unread} not read. ${limits}`] : []),
  ];
}

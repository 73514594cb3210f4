import { Failure, toFailureRecord } from "../../domain/failures.ts";
import type { EarlierRef, SourceItem } from "../../domain/ports.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { tooLarge } from "../pages/limits.ts";
import { fetchFile, parse } from "./files.ts";
import { keep, placeAt, whyElsewhere, whyLeft } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** How deep lists are followed from the submitted one, and how many at most. */
const maxDepth = 3;
const maxLists = 100;
/** Lists that a note names. */
const maxNamed = 5;

/** Names of files that are lists, or hold pages: what is in them tells which. */
const listName = /\/llms(?:[-_.][\w.-]{1,60})?\.txt$/i;
/** Other sizes of the llms.txt beside them, which say the same again. */
const otherSize = /\/llms-(?:full|small|medium|ctx|ctx-full)\.txt$/i;

/** A listed file that holds pages itself: as it was cut, or its pages of the last time where it is unchanged. */
export interface ListedDocument {
  readonly resource: string;
  readonly content: CutFile | readonly EarlierRef[];
}

/** What an llms.txt lists, with what the lists that it lists do. */
export interface Listed {
  /** Addresses of pages, each once. */
  readonly pages: readonly string[];
  /** Further pages, beyond as many as are wanted. */
  readonly more: number;
  readonly documents: readonly ListedDocument[];
  /** Addresses of the lists that it lists, by the pages that only they list. */
  readonly listedBy: ReadonlyMap<string, string>;
  /** The lists that are not read, with the reason. */
  readonly unread: readonly SourceItem[];
}

interface Step {
  readonly url: string;
  readonly depth: number;
}

/**
 * Follows the lists that an llms.txt lists, breadth first, each once: files on hosts whose pages are read, as their robots.txt permits.
 * @throws Failure library_too_large; source_unreachable for a refresh, which would lose the pages of a list that is away
 */
export async function followLists(index: IndexFile, own: readonly string[], reading: Reading): Promise<Listed> {
  const { limits, earlier } = reading.context;
  const pages = new Set<string>();
  const documents: ListedDocument[] = [];
  const unread: SourceItem[] = [];
  const asked = new Set(own);
  const steps: Step[] = [];
  const followed: string[] = [];
  let [more, left, bytes] = [0, 0, 0];

  const listedBy = new Map<string, string>();
  const take = (found: IndexFile, depth: number, list?: string): void => {
    more += found.more;
    for (const url of found.pages) {
      if (!listName.test(new URL(url).pathname)) {
        if (pages.has(url)) continue;
        if (pages.size < limits.pages) {
          pages.add(url);
          if (list !== undefined) listedBy.set(url, list);
        } else more += 1;
      } else if (!asked.has(url)) {
        asked.add(url);
        steps.push({ url, depth: depth + 1 });
      }
    }
  };
  const isOtherSize = ({ url }: Step): boolean =>
    otherSize.test(new URL(url).pathname) && asked.has(new URL("llms.txt", url).href);

  const read = async (key: string, depth: number): Promise<SourceItem | undefined> => {
    const url = new URL(key);
    const why = await whyLeft(reading, url);
    if (why) return { type: "skipped", page: placeAt(key), ...why };
    const kept = earlier.within(key);
    const file = await fetchFile(reading, url, kept.length > 0 ? earlier.validators(key) : undefined);
    if (file === "unchanged") {
      documents.push({ resource: key, content: kept });
      return undefined;
    }
    const elsewhere = whyElsewhere(reading, file);
    if (elsewhere) return { type: "skipped", page: placeAt(key), ...elsewhere };
    bytes += file.bytes.length;
    if (bytes > limits.bytes)
      throw tooLarge(`The files that it lists have more than the ${limits.bytes} bytes that are indexed.`);
    const parsed = await parse(file, reading);
    if ("pages" in parsed) {
      keep(reading, key, file.validators);
      documents.push({ resource: key, content: parsed });
    } else take(parsed.index, depth, file.url.href);
    return undefined;
  };

  take(index, 0);
  // It grows meanwhile.
  for (const step of steps) {
    if (isOtherSize(step)) continue;
    if (step.depth > maxDepth || followed.length >= maxLists) {
      left += 1;
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
      unread.push({ type: "failed", page: placeAt(step.url), failure: toFailureRecord(error) });
    }
  }
  reading.notes.push(...notesOf(followed, left));
  return { pages: [...pages], more, documents, listedBy, unread };
}

function notesOf(followed: readonly string[], left: number): string[] {
  const shown = followed.slice(0, maxNamed).join(", ");
  const further = followed.length > maxNamed ? ` and ${followed.length - maxNamed} more` : "";
  const [files, whose] =
    followed.length === 1 ? ["another file", "whose"] : [`${followed.length} other files`, "whose"];
  return [
    ...(followed.length > 0 ? [`It lists ${files}, ${whose} pages are read too: ${shown}${further}.`] : []),
    ...(left > 0
      ? [
          `${left === 1 ? "1 file that it lists is" : `${left} files that it lists are`} not read, as lists are followed ${maxDepth} deep, and ${maxLists} of them at most.`,
        ]
      : []),
  ];
}

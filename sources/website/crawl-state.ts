import type { SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { LibrarySettings } from "../../domain/source.ts";
import type { Found } from "./outcomes.ts";
import type { Site } from "./site.ts";

/** A page that was dealt with, without its content. */
type Done = Exclude<SourceItem, { type: "page" }>;

/** How far a breadth-first crawl is. */
export interface CrawlState {
  /** Depth of the level that is visited: links from the first page. */
  depth: number;
  /** What is left of the level, and the next one as far as it is known. */
  level: Found[];
  next: Found[];
  /** Every address that was in a level, or was left out of it. */
  readonly seen: Set<string>;
  /** How many more addresses are remembered, and of how many characters in all. */
  readonly room: { addresses: number; characters: number };
  readonly done: Done[];
  /** Unreachable pages, to be visited again after all others; none is added once that has begun. */
  again: Found[];
  isLastRound: boolean;
  /** Addresses that were asked for. */
  visits: number;
  /** Key of the page with a text, by the hash of its words. */
  readonly words: Map<string, string>;
  readonly validators: Map<string, Validators>;
  /** Keys of unchanged pages, whose links were not read. */
  unread: Set<string>;
  /** Whether lists name the site's pages, the text of its soft 404, and why lists could not be fetched. */
  readonly lists: { isListed: boolean; missing: string; readonly outOfReach: string[] };
  /** What the first page says of the library. */
  settings?: LibrarySettings;
  /** Addresses left out, by reason. */
  readonly omitted: Record<Omission, number>;
}

/** Why an address is not visited. `links` are counted as such: they may lead to one address. */
export type Omission = "versions" | "traps" | "pages" | "depth" | "links" | "more" | "long";

/**
 * Addresses that a crawl remembers for each page that it may read, the minimum of that, and their mean length in characters: this bounds
 * its memory, whatever pages link to.
 */
const addressesPerPage = 5;
const leastAddresses = 20_000;
const meanLength = 200;

/** The state of a crawl that begins, and reads at most `maxPages`. */
export function emptyState(maxPages: number): CrawlState {
  const addresses = Math.max(leastAddresses, maxPages * addressesPerPage);
  return {
    depth: 0,
    level: [],
    next: [],
    seen: new Set(),
    room: { addresses, characters: addresses * meanLength },
    done: [],
    again: [],
    isLastRound: false,
    visits: 0,
    words: new Map(),
    validators: new Map(),
    unread: new Set(),
    lists: { isListed: false, missing: "", outOfReach: [] },
    omitted: { versions: 0, traps: 0, pages: 0, depth: 0, links: 0, more: 0, long: 0 },
  };
}

/**
 * Remembers an address that a page or a list names, so that it is visited once. False where it is known, or there is no room for more: then
 * the link is counted as left out.
 */
export function remember(state: CrawlState, key: string): boolean {
  if (state.seen.has(key)) return false;
  if (state.room.addresses < 1 || state.room.characters < key.length) {
    state.omitted.links += 1;
    return false;
  }
  state.room.addresses -= 1;
  state.room.characters -= key.length;
  state.seen.add(key);
  return true;
}

/** What is saved of a crawl at one time: what is new since the last time, and the few figures that change with each page. */
interface CrawlEntry extends Pick<
  CrawlState,
  "depth" | "visits" | "room" | "lists" | "settings" | "omitted" | "again" | "isLastRound"
> {
  /** It has all of the state: entries before it are not needed. */
  readonly isWhole: boolean;
  /** The level as it is now; a number: how many were taken from it since the last entry. */
  readonly wave: readonly Found[] | number;
  /** The next level, or what was added to it where the level is the same. */
  readonly next: readonly Found[];
  readonly seen: readonly string[];
  readonly done: readonly Done[];
  readonly words: readonly (readonly [string, string])[];
  readonly validators: readonly (readonly [string, Validators])[];
  readonly unread: readonly string[];
}

/**
 * Makes the entries of one attempt, the first of them a whole one: their size together grows with the crawl, and not with how often
 * it is saved. `validators` are those of the site.
 */
export function createCrawlLog(validators: ReadonlyMap<string, Validators>): (state: CrawlState) => CrawlEntry {
  let taken: ReturnType<typeof take> | undefined;

  function take(state: CrawlState) {
    const { level, next, unread } = state;
    const done = tailOf(state.done.values());
    const tails = { seen: tailOf(state.seen), words: tailOf(state.words), validators: tailOf(validators) };
    return { level, left: level.length, next, listed: 0, done, ...tails, unread, unreadTail: tailOf(unread) };
  }

  return (state) => {
    // An entry can only add, and the set is replaced once its pages were read after all.
    const isWhole = taken === undefined || taken.unread !== state.unread;
    if (taken === undefined || isWhole) taken = take(state);
    const isSameLevel = !isWhole && taken.level === state.level && taken.next === state.next;
    const entry: CrawlEntry = {
      isWhole,
      depth: state.depth,
      visits: state.visits,
      room: state.room,
      lists: state.lists,
      ...(state.settings && { settings: state.settings }),
      omitted: state.omitted,
      again: [...state.again],
      isLastRound: state.isLastRound,
      wave: isSameLevel ? taken.left - state.level.length : [...state.level],
      next: state.next.slice(isSameLevel ? taken.listed : 0),
      seen: taken.seen(state.seen.size),
      done: taken.done(state.done.length),
      words: taken.words(state.words.size),
      validators: taken.validators(validators.size),
      unread: taken.unreadTail(state.unread.size),
    };
    taken = { ...taken, level: state.level, left: state.level.length, next: state.next, listed: state.next.length };
    return entry;
  };
}

/** The state that entries describe, in the order in which they were made; undefined where there are none. */
export function readCrawlLog(entries: Iterable<CrawlEntry>): CrawlState | undefined {
  let state: CrawlState | undefined;
  for (const { isWhole, wave, next, seen, done, words, validators, unread, ...figures } of entries) {
    const before: Pick<CrawlState, "level" | "next" | "seen" | "done" | "words" | "validators" | "unread"> =
      isWhole || state === undefined
        ? { level: [], next: [], seen: new Set(), done: [], words: new Map(), validators: new Map(), unread: new Set() }
        : state;
    for (const key of seen) before.seen.add(key);
    for (const item of done) before.done.push(item);
    for (const [hash, key] of words) before.words.set(hash, key);
    for (const [resource, sent] of validators) before.validators.set(resource, sent);
    for (const key of unread) before.unread.add(key);
    state = {
      ...before,
      ...figures,
      level: typeof wave === "number" ? before.level.slice(wave) : [...wave],
      next: typeof wave === "number" ? [...before.next, ...next] : [...next],
    };
  }
  return state;
}

/**
 * Reads what was added to a collection, from which nothing is removed, since the last call; it is told the size. The iterator is never
 * asked for more than there is, and so can go on.
 */
function tailOf<T>(collection: Iterable<T>): (size: number) => T[] {
  const iterator = collection[Symbol.iterator]();
  let known = 0;
  return (size) => {
    const tail = Array.from({ length: size - known }, () => iterator.next().value as T);
    known = size;
    return tail;
  };
}

/** Interval of checkpoints, in milliseconds and in pages, whichever is shorter: what a killed crawl fetches again. */
const longest = 10_000;
const mostPages = 100;

/** Makes what saves a crawl when that is due, to be called after each page. Each attempt makes its own. */
export function createSaver(
  { context, validators }: Pick<Site, "context" | "validators">,
  { done }: CrawlState,
): (state: CrawlState) => Promise<void> {
  const log = createCrawlLog(validators);
  let pages = done.length;
  let time = performance.now();
  return async (state) => {
    if (state.done.length - pages < mostPages && performance.now() - time < longest) return;
    pages = state.done.length;
    const entry = log(state);
    await context.checkpoint.save(Buffer.from(JSON.stringify(entry)), { whole: entry.isWhole });
    time = performance.now();
  };
}

/** The state that an earlier attempt has saved, or that of a new crawl. */
export async function openState({ context, spec, validators }: Site): Promise<CrawlState> {
  const saved = await context.checkpoint.load();
  const state = readCrawlLog(saved.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as CrawlEntry));
  for (const [resource, found] of state?.validators ?? []) validators.set(resource, found);
  return state ?? emptyState(spec.maxPages);
}

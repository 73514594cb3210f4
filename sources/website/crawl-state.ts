import type { SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { SourceSettings } from "../../domain/source.ts";
import type { QueuedAddress } from "./outcomes.ts";
import type { Site } from "./site.ts";

/** The item of a visited page, without its content. */
type Done = Exclude<SourceItem, { type: "page" }>;

/** The state of a breadth-first crawl. */
export interface CrawlState {
  /** Depth of the current level: links from the first page. */
  depth: number;
  /** The rest of the current level. */
  level: QueuedAddress[];
  /** The known part of the next level. */
  next: QueuedAddress[];
  /** Every address that was in a level or was left out of it. */
  readonly seen: Set<string>;
  /** How many more addresses can be remembered, and their characters in all. */
  readonly room: { addresses: number; characters: number };
  readonly done: Done[];
  /** Unreachable pages, to be visited again in the last round. None is added during that. */
  again: QueuedAddress[];
  isLastRound: boolean;
  /** Number of visited addresses. */
  visits: number;
  /** Key of the page with a text, by the hash of its words, and by the names of its document (twins.ts). */
  readonly words: Map<string, string>;
  readonly validators: Map<string, Validators>;
  /** Keys of unchanged pages, whose links were not read. */
  unread: Set<string>;
  /**
   * Whether lists name the site's pages, the text of its soft 404, why lists could not be fetched, and the first page that shows an API
   * description, with the address of that.
   */
  readonly lists: {
    isListed: boolean;
    missing: string;
    readonly outOfReach: string[];
    shows?: { readonly page: string; readonly description: string };
  };
  /** Settings of the library from the first page. */
  settings?: SourceSettings;
  /** Number of addresses left out, by reason. */
  readonly omitted: Record<Omission, number>;
}

/** Why an address is not visited. `links` counts links, several of which may have the same address. */
export type Omission = "versions" | "traps" | "pages" | "depth" | "links" | "more" | "long";

/**
 * Number of addresses that a crawl remembers for each page that it may read, their minimum number in all, and their mean length in
 * characters. This bounds its memory, whatever pages link to.
 */
const addressesPerPage = 5;
const leastAddresses = 20_000;
const meanLength = 200;

/** The state of a new crawl that reads at most `maxPages`. */
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
 * Remembers an address from a page or a list, so that it is visited once. False if it is known, or no more can be remembered: then the link
 * counts as left out.
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

/** One checkpoint of a crawl: additions since the previous one, and the few figures that change with each page. */
interface CrawlEntry extends Pick<
  CrawlState,
  "depth" | "visits" | "room" | "lists" | "settings" | "omitted" | "again" | "isLastRound"
> {
  /** It has the whole state, so earlier entries are not needed. */
  readonly isWhole: boolean;
  /** The current level; or, as a number, how many pages of it were visited since the last entry. */
  readonly wave: readonly QueuedAddress[] | number;
  /** The next level; or additions to it, if `wave` is a number. */
  readonly next: readonly QueuedAddress[];
  readonly seen: readonly string[];
  readonly done: readonly Done[];
  readonly words: readonly (readonly [string, string])[];
  readonly validators: readonly (readonly [string, Validators])[];
  readonly unread: readonly string[];
}

/**
 * Creates the entries of one attempt; the first one has the whole state. Their total size grows with the crawl, not with the number of
 * saves. `validators` are those of the site.
 */
export function createCrawlLog(validators: ReadonlyMap<string, Validators>): (state: CrawlState) => CrawlEntry {
  let last: ReturnType<typeof begin> | undefined;

  function begin(state: CrawlState) {
    const { level, next, unread } = state;
    const done = tailOf(state.done.values());
    const tails = { seen: tailOf(state.seen), words: tailOf(state.words), validators: tailOf(validators) };
    return { level, left: level.length, next, listed: 0, done, ...tails, unread, unreadTail: tailOf(unread) };
  }

  return (state) => {
    // An entry can only add, but the crawl replaces this set once it has read the links of its pages.
    const isWhole = last === undefined || last.unread !== state.unread;
    if (last === undefined || isWhole) last = begin(state);
    const isSameLevel = !isWhole && last.level === state.level && last.next === state.next;
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
      wave: isSameLevel ? last.left - state.level.length : [...state.level],
      next: state.next.slice(isSameLevel ? last.listed : 0),
      seen: last.seen(state.seen.size),
      done: last.done(state.done.length),
      words: last.words(state.words.size),
      validators: last.validators(validators.size),
      unread: last.unreadTail(state.unread.size),
    };
    last = { ...last, level: state.level, left: state.level.length, next: state.next, listed: state.next.length };
    return entry;
  };
}

/** The state described by entries in the order of their creation; undefined without entries. */
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
 * Creates the function that returns the additions to a growing collection since the last call, by its current size. As the iterator is
 * never exhausted, it can continue.
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

/** Maximum time and pages between two checkpoints: a killed crawl fetches these pages again. Time in milliseconds. */
const maxInterval = 10_000;
const maxPagesBetween = 100;

/** Creates the function that saves a crawl when due. Call it after each page. Each attempt creates its own. */
export function createSaver(
  { context, validators }: Pick<Site, "context" | "validators">,
  { done }: CrawlState,
): (state: CrawlState) => Promise<void> {
  const log = createCrawlLog(validators);
  let pages = done.length;
  let time = performance.now();
  return async (state) => {
    if (state.done.length - pages < maxPagesBetween && performance.now() - time < maxInterval) return;
    pages = state.done.length;
    const entry = log(state);
    await context.checkpoint.save(Buffer.from(JSON.stringify(entry)), { whole: entry.isWhole });
    time = performance.now();
  };
}

/** The saved state of an earlier attempt, or that of a new crawl. */
export async function openState({ context, spec, validators }: Site): Promise<CrawlState> {
  const saved = await context.checkpoint.load();
  const state = readCrawlLog(saved.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as CrawlEntry));
  for (const [resource, sent] of state?.validators ?? []) validators.set(resource, sent);
  return state ?? emptyState(spec.maxPages);
}

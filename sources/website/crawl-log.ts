import type { Validators } from "../../domain/generation.ts";
import type { CrawlState, Done } from "./state.ts";
import type { Found } from "./visited.ts";

/** What is saved of a crawl at one time: what is new since the last time, and the few figures that change with each page. */
export interface CrawlEntry extends Pick<
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

import type { Validators } from "../../domain/generation.ts";
import type { CrawlState, Done } from "./state.ts";
import type { Found } from "./visit.ts";

/** What is written of a crawl at one time: what is new since the last time, and the few figures that change with each page. */
export interface CrawlEntry extends Pick<
  CrawlState,
  "depth" | "visits" | "room" | "lists" | "settings" | "omitted" | "again" | "isLastRound"
> {
  /** It has all of the state, so that what was written before it is not needed. */
  readonly isWhole: boolean;
  /** The wave as it is now; a number: how many were taken from the one that was written last. */
  readonly wave: readonly Found[] | number;
  /** The next wave, or what came to it where the wave is the same. */
  readonly next: readonly Found[];
  readonly seen: readonly string[];
  readonly done: readonly Done[];
  readonly words: readonly (readonly [string, string])[];
  readonly validators: readonly (readonly [string, Validators])[];
  readonly unread: readonly string[];
}

/**
 * Makes the entries of one attempt, the first of them a whole one: what all of them have together grows with the crawl, and not
 * with how often it is saved. `validators` are those of the site.
 */
export function createCrawlLog(validators: ReadonlyMap<string, Validators>): (state: CrawlState) => CrawlEntry {
  let taken: ReturnType<typeof take> | undefined;

  function take(state: CrawlState) {
    const { wave, next, unread } = state;
    const done = tailOf(state.done.values());
    const tails = { seen: tailOf(state.seen), words: tailOf(state.words), validators: tailOf(validators) };
    return { wave, left: wave.length, next, listed: 0, done, ...tails, unread, unreadTail: tailOf(unread) };
  }

  return (state) => {
    // What is unread begins anew when it was read after all, and an entry can only add.
    const isWhole = taken === undefined || taken.unread !== state.unread;
    if (taken === undefined || isWhole) taken = take(state);
    const isSameWave = !isWhole && taken.wave === state.wave && taken.next === state.next;
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
      wave: isSameWave ? taken.left - state.wave.length : [...state.wave],
      next: state.next.slice(isSameWave ? taken.listed : 0),
      seen: taken.seen(state.seen.size),
      done: taken.done(state.done.length),
      words: taken.words(state.words.size),
      validators: taken.validators(validators.size),
      unread: taken.unreadTail(state.unread.size),
    };
    taken = { ...taken, wave: state.wave, left: state.wave.length, next: state.next, listed: state.next.length };
    return entry;
  };
}

/** The state that entries come to, in the order in which they were made; undefined where there are none. */
export function readCrawlLog(entries: Iterable<CrawlEntry>): CrawlState | undefined {
  let state: CrawlState | undefined;
  for (const { isWhole, wave, next, seen, done, words, validators, unread, ...figures } of entries) {
    const before: Pick<CrawlState, "wave" | "next" | "seen" | "done" | "words" | "validators" | "unread"> =
      isWhole || state === undefined
        ? { wave: [], next: [], seen: new Set(), done: [], words: new Map(), validators: new Map(), unread: new Set() }
        : state;
    for (const key of seen) before.seen.add(key);
    for (const item of done) before.done.push(item);
    for (const [hash, key] of words) before.words.set(hash, key);
    for (const [resource, sent] of validators) before.validators.set(resource, sent);
    for (const key of unread) before.unread.add(key);
    state = {
      ...before,
      ...figures,
      wave: typeof wave === "number" ? before.wave.slice(wave) : [...wave],
      next: typeof wave === "number" ? [...before.next, ...next] : [...next],
    };
  }
  return state;
}

/**
 * What came to a collection since it was asked last, told its size. The iterator goes on where it was, as it is never asked for
 * more than there is: a collection from which nothing is removed.
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

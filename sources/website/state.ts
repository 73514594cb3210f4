import type { SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { LibrarySettings } from "../../domain/source.ts";
import type { Found } from "./visited.ts";

/** A page that was dealt with, without its content. */
export type Done = Exclude<SourceItem, { type: "page" }>;

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

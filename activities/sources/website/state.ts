import type { SourceItem } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/generation.ts";
import type { LibrarySettings } from "../../../domain/source.ts";
import type { Found } from "./visit.ts";

/** A page that was dealt with, without its content. */
export type Done = Exclude<SourceItem, { type: "page" }>;

/** How far a crawl is: a wave are the pages that lie so many links from the first one. */
export interface CrawlState {
  /** Number of the wave, from 0. */
  depth: number;
  /** What is left of the wave, and the next one as far as it is known. */
  wave: Found[];
  next: Found[];
  /** Every address that was in a wave, or was left out of it. */
  readonly seen: Set<string>;
  readonly done: Done[];
  /** Addresses that were asked for. */
  visits: number;
  /** The page that says certain words, by their hash. */
  readonly words: Map<string, string>;
  readonly validators: Map<string, Validators>;
  /** Keys of pages that are as they were, whose links were not read. */
  readonly unread: Set<string>;
  /** What lists of the site had. */
  readonly lists: { isListed: boolean; missing: string };
  /** What the first page says of the library. */
  settings?: LibrarySettings;
  /** Addresses left out, by reason. */
  readonly omitted: Record<Omission, number>;
}

/** Why an address is not visited. */
export type Omission = "versions" | "traps" | "pages" | "depth";

/** The state of a crawl that begins. */
export function emptyState(): CrawlState {
  return {
    depth: 0,
    wave: [],
    next: [],
    seen: new Set(),
    done: [],
    visits: 0,
    words: new Map(),
    validators: new Map(),
    unread: new Set(),
    lists: { isListed: false, missing: "" },
    omitted: { versions: 0, traps: 0, pages: 0, depth: 0 },
  };
}

/** A state as bytes, for the checkpoint. */
export function toBytes({ seen, words, validators, unread, ...plain }: CrawlState): Uint8Array {
  const lists = { seen: [...seen], words: [...words], validators: [...validators], unread: [...unread] };
  return Buffer.from(JSON.stringify({ ...plain, ...lists }));
}

/** What `toBytes` made. */
export function fromBytes(bytes: Uint8Array): CrawlState {
  const { seen, words, validators, unread, ...plain } = JSON.parse(new TextDecoder().decode(bytes)) as Omit<
    CrawlState,
    "seen" | "words" | "validators" | "unread"
  > & {
    readonly seen: string[];
    readonly words: [string, string][];
    readonly validators: [string, Validators][];
    readonly unread: string[];
  };
  const maps = { words: new Map(words), validators: new Map(validators) };
  return { ...plain, ...maps, seen: new Set(seen), unread: new Set(unread) };
}

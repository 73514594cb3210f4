import type { Checkpoint, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";

/** A page or database to visit. */
export interface Found {
  readonly id: string;
  /** Absent if unknown before the visit. */
  readonly isDatabase?: boolean;
  /** Id of the page or database that it was found on; absent if a list or the submission names it. */
  readonly from?: string;
  /** "named": by the submission; "earlier": in the earlier run, from where it may have moved. */
  readonly why?: "named" | "earlier";
}

/** A page or database that has been visited, without its content, and its validators. */
export interface Done {
  readonly item: Exclude<SourceItem, { type: "page" }>;
  readonly validators?: Validators;
}

/** The state of a breadth-first reading. */
export interface Progress {
  /** Ids in `found`. */
  readonly seen: Set<string>;
  /** All pages and databases that were found, in order. */
  readonly found: Found[];
  /** Ids of the pages that are read rather than left out. */
  readonly kept: Set<string>;
  /** Ids of visited pages and databases. */
  readonly finished: Set<string>;
  /** No visit of the last level was finished, as its pages wait for one another. */
  isStuck: boolean;
  /** The rest of the present level. */
  level: Found[];
  next: Found[];
  readonly done: Done[];
  /** More is shared than Notion lists. */
  isCut: boolean;
}

/** One checkpoint: what was found and done since the previous one. */
interface Entry {
  readonly found: readonly Found[];
  readonly done: readonly Done[];
  readonly isCut: boolean;
}

/** Interval of checkpoints in milliseconds and in pages, whichever comes first: the loss of a crash. */
const saveInterval = 5_000;
const saveEvery = 50;

/** The id in the key of a page. */
export function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** The state at the beginning. */
export function newProgress(): Progress {
  const [seen, kept, finished] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return { seen, kept, finished, isStuck: false, found: [], level: [], next: [], done: [], isCut: false };
}

/** Adds what was found to the next level, each page once. */
export function enqueue(progress: Progress, found: readonly Found[]): void {
  for (const one of found) {
    if (progress.seen.has(one.id)) continue;
    progress.seen.add(one.id);
    progress.found.push(one);
    progress.next.push(one);
  }
}

/** The state that an earlier attempt has saved, if any. */
export async function loadProgress(checkpoint: Checkpoint): Promise<Progress | undefined> {
  const entries = (await checkpoint.load()).map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Entry);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const done = entries.flatMap((entry) => entry.done);
  const finished = new Set(done.map(({ item }) => idOfKey(item.page.key)));
  const found = entries.flatMap((entry) => entry.found);
  return {
    seen: new Set(found.map(({ id }) => id)),
    found,
    kept: new Set(done.flatMap(({ item }) => (item.type === "skipped" ? [] : [idOfKey(item.page.key)]))),
    finished,
    isStuck: false,
    level: [],
    next: found.filter(({ id }) => !finished.has(id)),
    done,
    isCut: last.isCut,
  };
}

/** Returns a function that saves a checkpoint when it is due, to be called after each page. The first of an attempt has the whole state. */
export function createSaver(checkpoint: Checkpoint, progress: Progress) {
  let [savedFound, savedDone] = [0, 0];
  let time = performance.now();
  let isWhole = true;
  let pages = progress.done.length;
  return async (now = false): Promise<void> => {
    if (!now && progress.done.length - pages < saveEvery && performance.now() - time < saveInterval) return;
    pages = progress.done.length;
    const { found: all, isCut } = progress;
    const entry: Entry = { found: all.slice(savedFound), done: progress.done.slice(savedDone), isCut };
    [savedFound, savedDone] = [all.length, pages];
    await checkpoint.save(Buffer.from(JSON.stringify(entry)), { whole: isWhole });
    isWhole = false;
    time = performance.now();
  };
}

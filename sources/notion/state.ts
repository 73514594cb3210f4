import type { Checkpoint, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";

/** A page or database that is to be visited. */
export interface Found {
  readonly id: string;
  /** Absent where only asking tells. */
  readonly isDatabase?: boolean;
  /** Id of the page or database that it was found on; absent where a list or the submission names it. */
  readonly from?: string;
  /** Why it is in: the submission names it; or it was there the last time, and may have moved. */
  readonly why?: "named" | "earlier";
}

/** What has been dealt with, without its content, and the validators of its page. */
export interface Done {
  readonly item: Exclude<SourceItem, { type: "page" }>;
  readonly validators?: Validators;
}

/** How far reading is. */
export interface Progress {
  readonly seen: Set<string>;
  /** Everything that was found, in its order. */
  readonly found: Found[];
  /** Ids of the pages that are read, and not left out. */
  readonly kept: Set<string>;
  /** Ids of all that has been dealt with. */
  readonly finished: Set<string>;
  /** The last wave dealt with nothing, as what it had waits for one another. */
  isStuck: boolean;
  /** What is left of it. */
  wave: Found[];
  next: Found[];
  readonly done: Done[];
  /** There is more than is listed. */
  isCut: boolean;
}

/** What is saved at one time: what was found and done since the time before. */
interface Entry {
  readonly found: readonly Found[];
  readonly done: readonly Done[];
  readonly isCut: boolean;
}

/** Interval of checkpoints, in milliseconds and in pages, whichever comes first: what a killed run asks for again. */
const longest = 5_000;
const mostPages = 50;

/** The id in the key of a page. */
export function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** The progress of a reading that begins. */
export function newProgress(): Progress {
  const [seen, kept, finished] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return { seen, kept, finished, isStuck: false, found: [], wave: [], next: [], done: [], isCut: false };
}

/** Puts what was found into the next wave, each once. */
export function enqueue(progress: Progress, found: readonly Found[]): void {
  for (const one of found) {
    if (progress.seen.has(one.id)) continue;
    progress.seen.add(one.id);
    progress.found.push(one);
    progress.next.push(one);
  }
}

/** The progress of an earlier attempt; undefined where there is none. */
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
    wave: [],
    next: found.filter(({ id }) => !finished.has(id)),
    done,
    isCut: last.isCut,
  };
}

/** Saves progress where that is due, to be called behind each page; what was saved before an attempt is saved anew by its first time. */
export function createSaver(checkpoint: Checkpoint, progress: Progress) {
  let [savedFound, savedDone] = [0, 0];
  let time = performance.now();
  let isWhole = true;
  let pages = progress.done.length;
  return async (now = false): Promise<void> => {
    if (!now && progress.done.length - pages < mostPages && performance.now() - time < longest) return;
    pages = progress.done.length;
    const { found: all, isCut } = progress;
    const entry: Entry = { found: all.slice(savedFound), done: progress.done.slice(savedDone), isCut };
    [savedFound, savedDone] = [all.length, pages];
    await checkpoint.save(Buffer.from(JSON.stringify(entry)), { whole: isWhole });
    isWhole = false;
    time = performance.now();
  };
}

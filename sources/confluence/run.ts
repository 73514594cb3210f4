import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext, Checkpoint } from "../../domain/ports.ts";
import type { ConfluenceApi, Chunk } from "./api.ts";
import { Failure, isFailure } from "../../domain/failures.ts";

/** One reading of a space. */
export interface ConfluenceRun {
  readonly spec: ConfluenceSourceSpec;
  readonly api: ConfluenceApi;
  readonly memory: Memory;
  readonly context: ReadContext;
}

/** The answers of a run, saved in checkpoints so that the next attempt does not request them again. */
export interface Memory {
  /** The saved answer of this name, else that of `ask`, which is then saved. Answers are JSON. */
  recall<T>(name: string, ask: () => Promise<T>): Promise<T>;
  /** Forgets all answers whose names begin with `start`, such as those of a list whose cursor has expired. */
  forget(start: string): void;
  /** Saves a checkpoint when it is due; to be called after each page. */
  save(): Promise<void>;
}

/** Interval of checkpoints in milliseconds, and in pages and answers, whichever comes first: the loss of a crash. */
const saveInterval = 10_000;
const saveEvery = 100;

type Entry = readonly [name: string, answer: unknown];

/** Opens the memory of a run, with the answers that its earlier attempts have saved. */
export async function openMemory(checkpoint: Checkpoint): Promise<Memory> {
  const answers = new Map<string, unknown>();
  for (const bytes of await checkpoint.load())
    for (const [name, answer] of JSON.parse(new TextDecoder().decode(bytes)) as readonly Entry[])
      answers.set(name, answer);
  let unsaved: Entry[] = [];
  // The first checkpoint of an attempt has everything.
  let isWhole = true;
  let since = 0;
  let time = performance.now();

  async function save(): Promise<void> {
    since += 1;
    if (since < saveEvery && performance.now() - time < saveInterval) return;
    const entries = isWhole ? [...answers] : unsaved;
    await checkpoint.save(Buffer.from(JSON.stringify(entries)), { whole: isWhole });
    [unsaved, isWhole, since, time] = [[], false, 0, performance.now()];
  }

  return {
    async recall<T>(name: string, ask: () => Promise<T>): Promise<T> {
      if (answers.has(name)) return answers.get(name) as T;
      const answer = await ask();
      answers.set(name, answer);
      unsaved.push([name, answer]);
      await save();
      return answer;
    },
    forget(start) {
      for (const name of answers.keys()) if (name.startsWith(start)) answers.delete(name);
      isWhole = true;
    },
    save,
  };
}

/** Minimum size of a part when the host fails on larger ones; if it fails on this too, the list fails. */
const minSize = 5;

/** A list that is read in parts. */
interface Paging<T> {
  /** Its name in the memory of the run. */
  readonly name: string;
  readonly memory: Memory;
  /** Size of a part, which is halved whenever the host fails. */
  readonly limit: number;
  ask(limit: number, after: string | null): Promise<Chunk<T>>;
}

/**
 * Reads a whole list, from where an earlier attempt of the run stopped. Entries with the same id are merged, as a list changes while it is
 * read. @throws Failure source_invalid for a list that leads back to an earlier part, and what `ask` throws
 */
export async function wholeList<T extends { readonly id: string }>(paging: Paging<T>): Promise<readonly T[]> {
  try {
    return await readList(paging);
  } catch (error) {
    // The cursor of an earlier attempt may have expired.
    if (!isFailure(error, "source_invalid", "source_not_found")) throw error;
    paging.memory.forget(paging.name);
    return readList(paging);
  }
}

async function readList<T extends { readonly id: string }>({
  name,
  memory,
  limit,
  ask,
}: Paging<T>): Promise<readonly T[]> {
  const entries = new Map<string, T>();
  const cursors = new Set<string>();
  let size = limit;
  for (let after: string | null = null; ;) {
    const cursor: string | null = after;
    const { found: some, next }: Chunk<T> = await memory.recall(`${name} ${cursor ?? ""}`, () => askHalved(cursor));
    for (const one of some) entries.set(one.id, one);
    if (next === null) return [...entries.values()];
    if (cursors.has(next)) throw new Failure("source_invalid", `The list of ${name} repeats itself. Try again later.`);
    cursors.add(next);
    after = next;
  }

  async function askHalved(after: string | null): Promise<Chunk<T>> {
    for (;;) {
      try {
        return await ask(size, after);
      } catch (error) {
        if (!isFailure(error, "source_unreachable", "library_too_large") || size <= minSize) throw error;
        size = Math.max(minSize, Math.floor(size / 2));
      }
    }
  }
}

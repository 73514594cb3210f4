import { Failure, isFailure } from "../../domain/failures.ts";
import type { Memory } from "../lib/remote/memory.ts";
import type { Chunk } from "./api.ts";

/** Entries that are asked for at once when the host fails on more; where it fails on these too, the list fails. */
const least = 5;

/** A list that is read in parts. */
export interface Paging<T> {
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
  const found = new Map<string, T>();
  const cursors = new Set<string>();
  let size = limit;
  for (let after: string | null = null; ;) {
    const cursor: string | null = after;
    const { found: some, next }: Chunk<T> = await memory.recall(`${name} ${cursor ?? ""}`, () => askHalved(cursor));
    for (const one of some) found.set(one.id, one);
    if (next === null) return [...found.values()];
    if (cursors.has(next))
      throw new Failure("source_invalid", `The list of ${name} leads back to where it was. Try again later.`);
    cursors.add(next);
    after = next;
  }

  async function askHalved(after: string | null): Promise<Chunk<T>> {
    for (;;) {
      try {
        return await ask(size, after);
      } catch (error) {
        if (!isFailure(error, "source_unreachable", "library_too_large") || size <= least) throw error;
        size = Math.max(least, Math.floor(size / 2));
      }
    }
  }
}

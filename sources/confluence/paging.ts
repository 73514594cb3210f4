import { Failure } from "../../domain/failures.ts";
import type { Memory } from "../remote/memory.ts";
import type { Chunk } from "./api.ts";

/** The smallest part of a list that is asked for before it is given up. */
const least = 5;

/** A list that is asked for part by part. */
export interface Paging<T> {
  /** What the list is called in the memory of the run. */
  readonly name: string;
  readonly memory: Memory;
  /** Asked for at once; where the host fails on that, half of it from then on. */
  readonly limit: number;
  ask(limit: number, after: string | null): Promise<Chunk<T>>;
  idOf(one: T): string;
}

/**
 * All of a list, each thing once, from where an attempt of the run has left it. What comes twice is no error, as a list changes while it
 * is read; a part that brings nothing new and leads on is. @throws Failure source_invalid for that, and what `ask` throws
 */
export async function wholeList<T>(paging: Paging<T>): Promise<readonly T[]> {
  try {
    return await readList(paging);
  } catch (error) {
    // The host may know the place no more that an earlier attempt was at.
    const isPlace = error instanceof Failure && (error.code === "source_invalid" || error.code === "source_not_found");
    if (!isPlace) throw error;
    paging.memory.forget(paging.name);
    return readList(paging);
  }
}

async function readList<T>({ name, memory, limit, ask, idOf }: Paging<T>): Promise<readonly T[]> {
  const found = new Map<string, T>();
  const places = new Set<string>();
  let size = limit;
  for (let after: string | null = null; ;) {
    const place: string | null = after;
    const { found: some, next }: Chunk<T> = await memory.recall(`${name} ${place ?? ""}`, () => askSmaller(place));
    for (const one of some) found.set(idOf(one), one);
    if (next === null) return [...found.values()];
    if (places.has(next))
      throw new Failure("source_invalid", `The list of ${name} leads back to where it was. Try again later.`);
    places.add(next);
    after = next;
  }

  async function askSmaller(after: string | null): Promise<Chunk<T>> {
    for (;;) {
      try {
        return await ask(size, after);
      } catch (error) {
        const isTooMuch =
          error instanceof Failure && (error.code === "source_unreachable" || error.code === "library_too_large");
        if (!isTooMuch || size <= least) throw error;
        size = Math.max(least, Math.floor(size / 2));
      }
    }
  }
}

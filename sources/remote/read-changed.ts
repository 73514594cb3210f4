import type { IncludedRef } from "../../domain/generation.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Memory } from "./memory.ts";

/** How the pages of a product are read by id and version. `Id` is what the product calls a page by. */
export interface RemotePages<Id> {
  /**
   * What is to be indexed, in the order in which it is served. A fingerprint says all that decides what is read of a page (its
   * version, title, place), but for what the page includes.
   */
  readonly listed: readonly { readonly id: Id; readonly page: PageRef }[];
  /** The fingerprint now of something that a page included when it was read, by its path there; "" where it is gone. */
  current(path: string): Promise<string>;
  /** Pages that are asked for at once. */
  readonly batch: number;
  /** Reads pages, one item each, in any order, by the key of each page. A page without an item is gone since it was listed. */
  read(
    pages: readonly { readonly id: Id; readonly page: PageRef }[],
  ): Promise<readonly Exclude<SourceItem, { type: "known" }>[]>;
  readonly memory: Memory;
}

/**
 * Reads those pages of a listing that have changed, or include what has changed, and takes over all others. What is not listed
 * goes: a source names beside these items what it was refused.
 */
export async function* readChanged<Id>(
  { listed, current, batch, read, memory }: RemotePages<Id>,
  context: Pick<ReadContext, "known" | "pages" | "signal">,
): AsyncGenerator<SourceItem> {
  const fingerprints = new Map<string, Promise<string>>();
  const isSame = async ({ path, fingerprint }: IncludedRef): Promise<boolean> => {
    const now = fingerprints.get(path) ?? current(path);
    fingerprints.set(path, now);
    return (await now) === fingerprint;
  };
  async function isKnown(page: PageRef): Promise<boolean> {
    const includes = context.known(page);
    for (const included of includes ?? []) if (!(await isSame(included))) return false;
    return includes !== undefined;
  }

  context.pages(listed.length);
  const changed = new Set<string>();
  for (const { page } of listed) {
    context.signal.throwIfAborted();
    if (!(await isKnown(page))) changed.add(page.key);
  }
  const items = new Map<string, SourceItem>();
  const toRead = listed.filter(({ page }) => changed.has(page.key));
  let next = 0;
  for (const { page } of listed) {
    context.signal.throwIfAborted();
    if (!changed.has(page.key)) {
      yield { type: "known", page };
      continue;
    }
    if (!items.has(page.key) && toRead[next]?.page.key === page.key) {
      const together = toRead.slice(next, next + batch);
      next += together.length;
      for (const { page: gone } of together)
        items.set(gone.key, {
          type: "skipped",
          page: gone,
          code: "gone",
          reason: "It went while the source was read.",
        });
      for (const item of await read(together)) items.set(item.page.key, item);
    }
    const item = items.get(page.key);
    items.delete(page.key);
    if (item !== undefined) yield item;
    await memory.save();
  }
}

/** The pages that were indexed before and are not listed now: a source may ask why. `keys` are those of the listing. */
export function goneSince({ earlier }: Pick<ReadContext, "earlier">, keys: ReadonlySet<string>): readonly string[] {
  return [...earlier.found()].flatMap(({ key, isIndexed }) => (isIndexed && !keys.has(key) ? [key] : []));
}

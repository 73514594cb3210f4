import type { IncludedRef } from "../../domain/generation.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Memory } from "./run.ts";

/** The pages of a source that lists them with their versions. `Id` identifies a page to `read`. */
export interface RemotePages<Id> {
  /**
   * The pages to index, in the order in which they are served. A fingerprint covers all that the result of a page depends on (its
   * version, title, place), except the pages that it includes.
   */
  readonly listed: readonly { readonly id: Id; readonly page: PageRef }[];
  /** The present fingerprint of something that a page included when it was read, by its path; "" if it no longer exists. */
  current(path: string): Promise<string>;
  /** Number of pages that are read at once. */
  readonly batch: number;
  /** Reads pages, one item each, in any order. A page without an item was deleted after it was listed. */
  read(
    pages: readonly { readonly id: Id; readonly page: PageRef }[],
  ): Promise<readonly Exclude<SourceItem, { type: "known" }>[]>;
  readonly memory: Memory;
}

/**
 * Reads the listed pages that have changed, or include something that has, and keeps the results of the others. Pages that are not listed
 * are removed, unless the source yields items for them.
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
      const reason = "The page was deleted while the source was read.";
      for (const { page: lost } of together) items.set(lost.key, { type: "skipped", page: lost, code: "gone", reason });
      for (const item of await read(together)) items.set(item.page.key, item);
    }
    const item = items.get(page.key);
    items.delete(page.key);
    if (item !== undefined) yield item;
    await memory.save();
  }
}

/** Keys of the pages that are indexed in the live generation. */
export function indexedBefore({ earlier }: Pick<ReadContext, "earlier">): readonly string[] {
  return [...earlier.found()].flatMap(({ key, isIndexed }) => (isIndexed ? [key] : []));
}

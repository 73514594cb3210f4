import type { SourceItem } from "../domain/ports.ts";
import type { Manifest } from "../domain/generation.ts";
import type { EarlierPages } from "./earlier-pages.ts";

/** How the items of a source are compared with the live generation. */
export interface Comparison extends Pick<EarlierPages, "keyOf"> {
  /** Whether pages have to come in the same order (`source`), or in any. */
  readonly order: "source" | "key";
  /** Called with the number of items that are held back. */
  held(count: number): void;
  /** Called after the last item if no page has changed: whether all else is unchanged too. */
  isUnchanged(): boolean;
}

/**
 * Holds items back until one is not as in the live generation, then yields them with all that follow. A refresh that finds no change
 * yields nothing, and so reads and writes no passage.
 */
export async function* fromFirstChange(
  items: AsyncIterable<SourceItem>,
  { pages }: Pick<Manifest, "pages">,
  { order, keyOf, held: report, isUnchanged }: Comparison,
): AsyncGenerator<SourceItem> {
  // Imported pages have no key, and are never known. One that failed, and is known now, has no failures any more: that is a change.
  const extracted = pages.filter(({ key, outcome }) => key !== undefined || outcome === "indexed");
  const numbers = new Map(extracted.map(({ key, failures }, at) => [failures === undefined ? key : undefined, at]));
  let known = 0;
  const isAsBefore = (item: SourceItem): boolean => {
    // Skipped pages are not part of the content hash.
    if (item.type === "skipped") return true;
    const number = item.type === "known" ? numbers.get(keyOf(item.page)) : undefined;
    known += 1;
    return number !== undefined && (order === "key" || number === known - 1);
  };

  const held: SourceItem[] = [];
  let hasChanged = false;
  for await (const item of items) {
    hasChanged ||= !isAsBefore(item);
    if (hasChanged) {
      yield* held.splice(0);
      yield item;
    } else report(held.push(item));
  }
  if (!hasChanged && (known < extracted.length || !isUnchanged())) yield* held;
}

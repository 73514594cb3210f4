import type { SourceItem } from "../domain/ports.ts";
import type { Manifest } from "../domain/generation.ts";
import { pageHash } from "./earlier-pages.ts";

/** How the items of a source are compared with the live generation. */
export interface Comparison {
  /** Whether the source has an order of its own. */
  readonly order: "source" | "key";
  /** Told how many items are held back. */
  held(count: number): void;
  /** Asked behind the last item, where all pages are as before: whether all else is too. */
  isUnchanged(): boolean;
}

/**
 * Holds items back until one is not as in the live generation, and yields them then with all that follow: a refresh that finds no change
 * yields nothing, and so neither reads nor writes a passage.
 */
export async function* fromFirstChange(
  items: AsyncIterable<SourceItem>,
  { pages }: Pick<Manifest, "pages">,
  { order, held: report, isUnchanged }: Comparison,
): AsyncGenerator<SourceItem> {
  // Those without a key are of an import, and are never known. One that has failed counts its failures no more when it is read again.
  const extracted = pages.filter(({ key, outcome }) => key !== undefined || outcome === "indexed");
  const numbers = new Map(extracted.map(({ key, failures }, at) => [failures === undefined ? key : undefined, at]));
  let known = 0;
  const isAsBefore = (item: SourceItem): boolean => {
    // What is left out is not part of the content.
    if (item.type === "skipped") return true;
    const number = item.type === "known" ? numbers.get(pageHash(item.page)) : undefined;
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

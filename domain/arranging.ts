import type { Passage } from "./snippet.ts";

/**
 * Puts chosen passages, the best first, into the order in which they are read: those of one page together, in the order of
 * the document. Pages keep the order of their best passages.
 */
export function byPage(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  const pages = Map.groupBy(passages, ({ page }) => page.url);
  return [...pages.values()].map((page) => page.toSorted((a, b) => startOf(a) - startOf(b)));
}

/** Whether a passage stands right behind another one of its page, so that nothing is left out between them. */
export function follows(passage: Passage, before: Passage): boolean {
  const [one, other] = [before.source, passage.source];
  if (one.lines && other.lines) return other.lines[0] <= one.lines[1] + maxGap;
  return one.ordinal !== undefined && other.ordinal === one.ordinal + 1;
}

/** Headings, blank lines and marks of containers stand between two passages, in lines. */
const maxGap = 6;

/** Its first line or ordinal; passages without either keep their order, behind the others. */
function startOf({ source }: Passage): number {
  return source.lines?.[0] ?? source.ordinal ?? Number.MAX_SAFE_INTEGER;
}

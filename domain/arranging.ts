import type { Passage } from "./passage.ts";

/** Groups passages, the best first, by page: pages in the order of their best passages, passages of a page as in the document. */
export function byPage(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  const pages = Map.groupBy(passages, ({ page }) => page.url);
  return [...pages.values()].map((page) => page.toSorted((a, b) => startOf(a) - startOf(b)));
}

/** Whether a passage follows another one of its page with nothing between them. */
export function follows(passage: Passage, before: Passage): boolean {
  const [one, other] = [before.source, passage.source];
  if (one.ordinal !== undefined) return other.ordinal === one.ordinal + 1;
  return one.lines !== undefined && other.lines !== undefined && other.lines[0] <= one.lines[1] + 1;
}

/** Ordinal or first line. Passages with neither keep their order, after the others. */
function startOf({ source }: Passage): number {
  return source.ordinal ?? source.lines?.[0] ?? Number.MAX_SAFE_INTEGER;
}

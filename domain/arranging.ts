import type { Snippet } from "./snippet.ts";

/**
 * Puts chosen snippets, the best first, into the order in which they are read: what stands on one page together, there
 * what stands in one section together and in the order of the document, so that steps follow each other and code comes
 * behind its prose. Pages and their sections keep the order of their best snippets.
 */
export function inReadingOrder(snippets: readonly Snippet[]): readonly Snippet[] {
  const bySection = (all: readonly Snippet[]) => groupBy(all, ({ breadcrumb }) => breadcrumb.join("\n"));
  return groupBy(snippets, ({ page }) => page.url).flatMap((page) =>
    bySection(page).flatMap((section) => section.toSorted((a, b) => startOf(a) - startOf(b))),
  );
}

function groupBy(snippets: readonly Snippet[], key: (snippet: Snippet) => string): readonly (readonly Snippet[])[] {
  return [...Map.groupBy(snippets, key).values()];
}

/** Its first line or ordinal; snippets without either keep their order, behind the others. */
function startOf({ source }: Snippet): number {
  return source.lines?.[0] ?? source.ordinal ?? Number.MAX_SAFE_INTEGER;
}

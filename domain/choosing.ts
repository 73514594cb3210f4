import type { Passage } from "./passage.ts";
import type { Candidate } from "./ports.ts";
import { estimateTokens, roomWithin } from "./tokens.ts";

/** The share of an answer's budget that is for the places beside it (`more.ts`). */
export const moreShare = 0.1;

/** Estimated tokens of a page's heading and source line without its address, and of each further section's heading. */
const headingTokens = { page: 20, section: 12 };

/** At most `limit` candidates that fit the share of passages in the budget approximately, in the order of rank; always the first one. */
export function chooseWithin(
  ranked: readonly Candidate[],
  { tokens, limit }: { readonly tokens: number; readonly limit: number },
): readonly Candidate[] {
  const chosen: Candidate[] = [];
  const pages = new Set<string>();
  let left = roomWithin((1 - moreShare) * tokens);
  for (const candidate of ranked) {
    if (chosen.length === limit) break;
    const { pageUrl } = candidate;
    const heading = pages.has(pageUrl) ? headingTokens.section : headingTokens.page + estimateTokens(pageUrl);
    if (chosen.length > 0 && candidate.tokens + heading > left) continue;
    chosen.push(candidate);
    pages.add(pageUrl);
    left -= candidate.tokens + heading;
  }
  return chosen;
}

/** Groups passages by page: pages in the order of their best passages, passages in the order of the page. */
export function byPage(passages: readonly Passage[]): readonly (readonly Passage[])[] {
  const pages = Map.groupBy(passages, ({ page }) => page.url);
  return [...pages.values()].map((page) => page.toSorted((a, b) => startOf(a) - startOf(b)));
}

/** Whether a passage directly follows another one of its page. */
export function follows(passage: Passage, before: Passage): boolean {
  const [one, other] = [before.source, passage.source];
  if (one.ordinal !== undefined) return other.ordinal === one.ordinal + 1;
  return one.lines !== undefined && other.lines !== undefined && other.lines[0] <= one.lines[1] + 1;
}

/** Ordinal or first line. Passages with neither keep their order, after the others. */
function startOf({ source }: Passage): number {
  return source.ordinal ?? source.lines?.[0] ?? Number.MAX_SAFE_INTEGER;
}

import type { Passage } from "./passage.ts";
import type { Candidate, Candidates } from "./ports.ts";
import { estimateTokens, roomWithin } from "./tokens.ts";

/** Estimated tokens of a page's heading and source line without its address, and of each further section's heading. */
const headingTokens = { page: 20, section: 12 };

/**
 * At most `limit` passages that fit the budget approximately, in the order of rank. Small gaps between the chosen passages of the
 * best page are filled first, with candidates only.
 */
export async function choosePassages(
  candidates: Candidates,
  ranked: readonly Candidate[],
  { tokens, limit }: { readonly tokens: number; readonly limit: number },
): Promise<readonly Passage[]> {
  const chosen = chooseWithin(ranked, tokens, limit);
  const [best] = chosen;
  const gaps = best === undefined ? [] : await gapsOf(candidates, best.pageUrl, chosen);
  const filled = gaps.length === 0 ? chosen : chooseWithin(withGaps(ranked, gaps), tokens, limit);
  return candidates.read(filled.map(({ id }) => id));
}

/** At most `limit` candidates that fit the budget, in order; always the first one. */
function chooseWithin(ranked: readonly Candidate[], tokens: number, limit: number): readonly Candidate[] {
  const chosen: Candidate[] = [];
  const pages = new Set<string>();
  let left = roomWithin(tokens);
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

async function gapsOf(
  { candidates, read }: Candidates,
  page: string,
  chosen: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const ids = chosen.filter(({ pageUrl }) => pageUrl === page).map(({ id }) => id);
  const others = candidates.filter(({ id, pageUrl }) => pageUrl === page && !ids.includes(id));
  if (ids.length < 2 || others.length === 0) return [];
  const [parts, rest] = await Promise.all([read(ids), read(others.map(({ id }) => id))]);
  const gaps = new Set(gapsBetween(parts, rest).map(({ id }) => id));
  return others.filter(({ id }) => gaps.has(id));
}

/** The ranked candidates, with the gaps of the best page after its first run of passages. */
function withGaps(ranked: readonly Candidate[], gaps: readonly Candidate[]): readonly Candidate[] {
  const [best] = ranked;
  const rest = ranked.filter((one) => !gaps.includes(one));
  const end = rest.findIndex(({ pageUrl }) => pageUrl !== best?.pageUrl);
  return rest.toSpliced(end < 0 ? rest.length : end, 0, ...gaps);
}

/** Maximum size of a gap that is filled, in tokens and in passages. */
const maxTokens = 250;
const maxPassages = 2;

/**
 * The `others` that fill small gaps between the chosen passages of a page, as text between two parts of an answer mostly
 * belongs to them. A gap is filled completely or not at all.
 */
export function gapsBetween(chosen: readonly Passage[], others: readonly Passage[]): readonly Passage[] {
  const byPlace = new Map(
    others.flatMap((one) => (one.source.ordinal === undefined ? [] : [[one.source.ordinal, one]])),
  );
  const places = chosen.flatMap(({ source: { ordinal } }) => ordinal ?? []).toSorted((a, b) => a - b);
  return places.flatMap((place, at) => {
    const next = places[at + 1] ?? place;
    if (next - place < 2 || next - place - 1 > maxPassages) return [];
    const between = Array.from({ length: next - place - 1 }, (_, step) => byPlace.get(place + 1 + step));
    const gap = between.filter((one) => one !== undefined);
    const tokens = gap.reduce((sum, one) => sum + one.tokens, 0);
    return gap.length === between.length && tokens <= maxTokens ? gap : [];
  });
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

import GithubSlugger from "github-slugger";
import { headingsOf, headingText, paragraphsOf } from "../domain/markdown.ts";
import { idLength, type OutlinedPage, type OutlinePage, type OutlineSection } from "../domain/outline.ts";
import type { Passage } from "../domain/passage.ts";

/** A section whose end is not known yet. */
interface Begun extends Pick<OutlineSection, "heading" | "level" | "first"> {
  /** It is one of several in a passage. */
  readonly isInner: boolean;
}

/** Maximum level of a section; headings have up to six levels, and a passage may have sections of its own. */
const maxLevel = 12;

/** A page of a generation, with its passages in order. */
export interface PageToOutline extends Pick<OutlinePage, "page" | "place" | "cuts"> {
  readonly passages: readonly Passage[];
}

/**
 * The outline of a page; undefined if nothing of it is served. Headings of passages that are held back are left out. `meaningOf` returns
 * the vector of served passages.
 */
export function outlineOf(
  { page, place, cuts, passages }: PageToOutline,
  meaningOf: (served: readonly Passage[]) => Int8Array,
): OutlinedPage | undefined {
  const gone = new Set(cuts.filter(({ parts }) => parts.length === 0).map(({ line }) => line));
  const isHeld = ({ flags = [] }: Passage): boolean => flags.includes("quarantined");
  const absent = new Set(passages.flatMap((passage, at) => (isHeld(passage) || gone.has(at) ? [at] : [])));
  const tokens = passages.map((passage, at) => (absent.has(at) ? 0 : passage.tokens));
  const served = passages.filter((_, at) => !absent.has(at));
  const [first] = served;
  if (first === undefined) return undefined;
  const { title, url } = first.page;
  const begun: Begun[] = [];
  let before: readonly string[] = [];
  for (const [at, passage] of passages.entries()) {
    if (absent.has(at)) continue;
    const headings = headingsOf(passage.breadcrumb, title);
    const common = commonLength(before, headings);
    for (const [depth, heading] of headings.entries())
      if (depth >= common) begun.push({ heading, level: Math.min(depth + 1, maxLevel), first: at, isInner: false });
    const last = headings.at(-1);
    for (const heading of headingsIn(passage))
      if (heading !== last && heading !== title)
        begun.push({ heading, level: Math.min(headings.length + 1, maxLevel), first: at, isInner: true });
    before = headings;
  }
  const totals = [0];
  for (const one of tokens) totals.push((totals.at(-1) ?? 0) + one);
  const slugger = new GithubSlugger();
  const ends = endsOf(begun, passages.length);
  const sections = begun.map(({ heading, level, first: start }, at): OutlineSection => {
    const end = Math.max(ends[at] ?? 0, start + 1);
    const lines = linesOf(passages.slice(start, end));
    return {
      heading,
      anchor: slugger.slug(heading) || slugger.slug("section"),
      level,
      first: start,
      count: end - start,
      tokens: (totals[end] ?? 0) - (totals[start] ?? 0),
      ...(lines && { lines }),
    };
  });
  const outline: OutlinePage = {
    page,
    url,
    title,
    tokens: totals.at(-1) ?? 0,
    held: passages.filter(isHeld).length,
    absent: [...absent],
    place,
    cuts,
    ids: passages.map(({ id }) => id.slice(0, idLength)).join(""),
    sections,
  };
  return { page: outline, meaning: meaningOf(served) };
}

/** For each section the index of the first passage after it: where the next one begins that is not in it. */
function endsOf(begun: readonly Begun[], length: number): readonly number[] {
  const ends: number[] = [];
  /** The beginning of the next section of each level or a higher one. */
  const next: number[] = [];
  for (let at = begun.length - 1; at >= 0; at -= 1) {
    const { level, first, isInner } = begun[at] ?? { level: 0, first: 0, isInner: false };
    ends[at] = isInner ? first + 1 : (next[level] ?? length);
    for (let deeper = level; deeper <= maxLevel; deeper += 1) next[deeper] = first;
  }
  return ends;
}

/** The headings of the sections in a passage. */
function headingsIn({ blocks }: Passage): readonly string[] {
  return blocks.flatMap((block) =>
    block.type === "prose" && block.markdown.includes("# ")
      ? paragraphsOf(block.markdown).flatMap((paragraph) => headingText(paragraph)?.trim() ?? [])
      : [],
  );
}

/** The lines of passages in the file of their page. Lines of a fetched text mean nothing to a reader. */
function linesOf(passages: readonly Passage[]): readonly [number, number] | undefined {
  const lines = passages.flatMap(({ source }) => (source.lines && source.resource === undefined ? [source.lines] : []));
  if (lines.length === 0) return undefined;
  return [Math.min(...lines.map(([start]) => start)), Math.max(...lines.map(([, end]) => end))];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = other.findIndex((heading, at) => one[at] !== heading);
  return end < 0 ? other.length : end;
}

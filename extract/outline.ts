import GithubSlugger, { slug } from "github-slugger";
import { headingsOf, headingText, paragraphsOf } from "../domain/markdown.ts";
import { idLength, type OutlinedPage, type OutlinePage, type OutlineSection } from "../domain/outline.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";

/** A section, still open at first. */
interface Begun extends Pick<OutlineSection, "heading" | "level" | "first"> {
  /** Index of the first passage after it. */
  end: number;
}

/** Maximum level of a section; headings have up to six levels, and a passage may have sections of its own. */
const maxLevel = 12;

/** Number of characters of a heading that its anchor is made of. */
const maxAnchor = 200;

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
  const begun = sectionsOf(passages, title, (at) => absent.has(at));
  const totals = [0];
  for (const one of tokens) totals.push((totals.at(-1) ?? 0) + one);
  const slugger = new GithubSlugger();
  const sections = begun.map(({ heading, level, first: start, end }): OutlineSection => {
    const lines = linesOf(passages.slice(start, end));
    return {
      heading,
      anchor: slugger.slug(slug(heading.slice(0, maxAnchor).toWellFormed()) || "section"),
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

/** The sections of a page, those in passages too, in order. */
function sectionsOf(
  passages: readonly Passage[],
  title: string,
  isHidden: (at: number) => boolean,
): readonly Readonly<Begun>[] {
  const begun: Begun[] = [];
  /** The sections around the place that is read, outermost first. */
  const open: Begun[] = [];
  const close = (depth: number, end: number): void => {
    for (const one of open.splice(depth)) one.end = end;
  };
  const begin = (heading: string, first: number): void => {
    const section = { heading, level: Math.min(open.length + 1, maxLevel), first, end: passages.length };
    open.push(section);
    begun.push(section);
  };
  for (const [at, passage] of passages.entries()) {
    if (isHidden(at)) continue;
    const headings = headingsOf(passage.breadcrumb, title);
    const differs = headings.findIndex((heading, depth) => open[depth]?.heading !== heading);
    const common = differs < 0 ? headings.length : differs;
    close(common, at);
    for (const heading of headings.slice(common)) begin(heading, at);
    for (const { heading, depth } of headingsIn(passage)) {
      if (heading === title) continue;
      // The heading above the passage is repeated where a section in it has ended.
      const isBack = depth === 0 && heading === headings.at(-1);
      const level = Math.min(headings.length + (isBack ? -1 : depth), open.length);
      const isOpen = open[level]?.heading === heading;
      close(isOpen ? level + 1 : level, at + 1);
      if (!isOpen) begin(heading, at);
    }
  }
  return begun;
}

/** The headings of the sections that a passage is in or has. */
export function headingsAt(passage: Passage): readonly string[] {
  return [...passage.breadcrumb.slice(-1), ...headingsIn(passage).map(({ heading }) => heading)];
}

/** Marks of the headings of sections in a passage: four for the outermost, six for the third and deeper ones. */
const outermostMarks = 4;

/** The headings of the sections in a passage, with the number of those above them in it. */
function headingsIn({ blocks }: Passage): readonly { readonly heading: string; readonly depth: number }[] {
  return blocks.flatMap((block) =>
    block.type === "prose" && block.markdown.includes("# ")
      ? paragraphsOf(block.markdown).flatMap((paragraph) => {
          const heading = oneLine(headingText(paragraph) ?? "");
          return heading === "" ? [] : [{ heading, depth: Math.max(0, paragraph.indexOf(" ") - outermostMarks) }];
        })
      : [],
  );
}

/** The lines of passages in the file of their page. Lines of a fetched text mean nothing to a reader. */
function linesOf(passages: readonly Passage[]): readonly [number, number] | undefined {
  const lines = passages.flatMap(({ source }) => (source.lines && source.resource === undefined ? [source.lines] : []));
  if (lines.length === 0) return undefined;
  return [Math.min(...lines.map(([start]) => start)), Math.max(...lines.map(([, end]) => end))];
}

import { stripAttributes } from "./tags.ts";

/**
 * Anchors that are written behind a heading: in comments of MDX, which React's documentation has, in escaped braces of
 * Docusaurus, in `%{#…}%` of Vue's translations and in brackets of Fumadocs and Nextra, where `[!toc]` and `[toc]` say what the table of contents shows.
 */
const anchor =
  /(?<!\s)\s*(?:\{\/\*[^*]*\*\/\}|%\{#[\w:./-]{1,80}\}%|\\\{#[\w:./-]{1,80}\\?\}|(?:\[#[A-Za-z][\w:./-]{0,80}\]|\[!?toc\])(?=\s*$|\s+\[(?:#|!?toc)))\s*$/;

/** `## Heading [_heading]` of Elastic's docs-builder, where an anchor may have any name. */
const named = /\s\[([a-z_][\w.-]{0,150})\]\s*$/;

/** Whether the headings of a page have anchors in brackets: what one of them has there is made of its own words. */
export function haveNamedAnchors(headings: readonly string[]): boolean {
  return headings.some((source) => {
    const [found, name = ""] = named.exec(source) ?? [];
    if (found === undefined) return false;
    return name.startsWith("_") || bare(source.slice(0, -found.length)) === bare(name);
  });
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** A heading's source without the anchors at its end; `isNamed`: they stand in brackets on its page. */
export function withoutAnchor(source: string, isNamed: boolean): string {
  let text = isNamed ? source.replace(named, "") : source;
  // There may be an anchor and a mark for the table of contents.
  for (let count = 0; count < 3 && /[}\]%]\s{0,9}$/.test(text.slice(-20)); count++) text = text.replace(anchor, "");
  return text;
}

/** What is shown of a heading. */
export function headingText(text: string): string {
  const shown = stripAttributes(text)
    .replace(/(?<!\s)\s*¶$/, "")
    .slice(0, 300)
    .trim()
    .replace(/(?<=[^\s:])\s?:$/, "");
  // A rule that is written as a heading.
  return /^[-–—_*=~.]+$/.test(shown) ? "" : shown;
}

/** Levels of headings on a page whose components open sections of their own. */
export interface Sections {
  /** The level of a heading of the page, which stands below the components that are open. */
  heading(level: number): number;
  /** The level of a component's title. */
  open(): number;
  /** The level at which the component that was opened last ends. */
  close(): number;
}

/** Starts at the beginning of a page. */
export function createSections(): Sections {
  const open: { readonly level: number; readonly outer: number }[] = [];
  let current = 1;
  return {
    heading(level) {
      current = Math.max(level, (open.at(-1)?.level ?? 0) + 1);
      return current;
    },
    open() {
      open.push({ level: current + 1, outer: current });
      return ++current;
    },
    close() {
      const last = open.pop();
      current = last?.outer ?? current;
      return last?.level ?? current + 1;
    },
  };
}

import { byPage, follows } from "../domain/arranging.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { beginsWithHeading, headingsOf, isSame, lastHeading, withoutTitle } from "../domain/headings.ts";
import { createRepeats } from "./repeats.ts";
import type { Repeats } from "./repeats.ts";

/** Changes whenever the same passages are rendered differently, which invalidates cached answers. */
export const renderVersion = "9";

/** Separator between pages in the text form. */
const separator = `\n\n${"-".repeat(32)}\n\n`;

/** The address of lines of a page at its revision. */
export type AddressOf = (passage: Passage, lines: readonly [number, number]) => string;

/**
 * The text form: passages verbatim, best page first. Each page has one heading, with the breadcrumb that its passages share, and
 * one line with its source. Omissions between two passages are marked.
 */
export function renderText(passages: readonly Passage[], addressOf: AddressOf): string {
  const repeats = createRepeats();
  return byPage(passages)
    .map((page) => renderPage(page, addressOf, repeats))
    .join(separator);
}

function renderPage(passages: readonly Passage[], addressOf: AddressOf, repeats: Repeats): string {
  const way = commonWay(passages);
  const title = passages[0]?.page.title ?? "";
  const parts = passages.flatMap((passage, at) => {
    const own = { ...passage, blocks: withoutTitle(passage.blocks, title) };
    const blocks = repeats.render(own.blocks, headingsOf(passage.breadcrumb, title).length > 0);
    return [...between(passages[at - 1], own, way, title), ...blocks];
  });
  const heading = [title, ...headingsOf(way, title)].map(oneLine).filter((text) => text !== "");
  return [`### ${heading.join(" > ")}`, `Source: ${sourcesOf(passages, addressOf)}`, ...parts].join("\n\n");
}

/** The common breadcrumb of passages, without the title of the page. */
function commonWay(passages: readonly Passage[]): readonly string[] {
  const [first, ...others] = passages.map(({ breadcrumb }) => breadcrumb);
  const end = (first ?? []).findIndex((heading, at) => others.some((other) => other[at] !== heading));
  return end < 0 ? (first ?? []) : (first ?? []).slice(0, end);
}

/** What separates two passages of a page: the omission mark, and the further headings of the second one. */
function between(before: Passage | undefined, passage: Passage, way: readonly string[], title: string): string[] {
  const { breadcrumb } = passage;
  const above = before === undefined ? way.length : Math.max(way.length, shared(before.breadcrumb, breadcrumb));
  // After a deeper section, its own heading, or a heading that it begins with, shows where the next passage belongs.
  const isDeeper = before !== undefined && above === breadcrumb.length && before.breadcrumb.length > above;
  const goesBack = isDeeper && !beginsWithHeading(passage.blocks);
  const own = headingsOf(breadcrumb.slice(goesBack ? -1 : above), title);
  // A short section that continues in the next passage already has its heading.
  const isBegun = before !== undefined && own.length > 0 && isSame(own[0] ?? "", lastHeading(before.blocks) ?? "");
  const shown = (isBegun ? own.slice(1) : own).map(oneLine);
  const heading = shown.length === 0 ? [] : [`#### ${shown.join(" > ")}`];
  if (before === undefined || follows(passage, before)) return heading;
  const gap = gapBetween(linesOf(before)?.[1], linesOf(passage)?.[0]);
  return [gap, ...heading];
}

/** The omission mark for the lines between two lines; without numbers where there are none. */
function gapBetween(line: number | undefined, other: number | undefined): string {
  if (line === undefined || other === undefined || other <= line + 1) return "[…]";
  return other === line + 2 ? `[line ${line + 1} left out]` : `[lines ${line + 1}-${other - 1} left out]`;
}

/** Length of the common prefix of two breadcrumbs. */
function shared(one: readonly string[], other: readonly string[]): number {
  const end = other.findIndex((heading, at) => one[at] !== heading);
  return end < 0 ? other.length : end;
}

/** Its lines in the file of its page; those of a fetched text mean nothing to a reader. */
function linesOf({ source }: Passage): readonly [number, number] | undefined {
  return source.resource === undefined ? source.lines : undefined;
}

/** The address of the first line range, and the line anchors of the others. */
function sourcesOf(passages: readonly Passage[], addressOf: AddressOf): string {
  const stretches: { readonly passage: Passage; lines: readonly [number, number] | undefined }[] = [];
  for (const [at, passage] of passages.entries()) {
    const lines = linesOf(passage);
    const before = passages[at - 1];
    const last = stretches.at(-1);
    if (before !== undefined && last?.lines && lines && follows(passage, before))
      last.lines = [last.lines[0], Math.max(last.lines[1], lines[1])];
    else stretches.push({ passage, lines });
  }
  const addresses = stretches.map(({ passage, lines }) => (lines ? addressOf(passage, lines) : passage.source.url));
  const [first = "", ...others] = [...new Set(addresses)];
  const page = first.slice(0, first.indexOf("#") + 1);
  const shown = others.map((address) =>
    page !== "" && address.startsWith(page) ? address.slice(page.length - 1) : address,
  );
  return [first, ...shown].map(oneLine).join(", ");
}

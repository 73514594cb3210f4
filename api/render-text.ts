import { byPage, follows } from "../domain/arranging.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { beginsWithHeading, headingsOf, isSame, lastHeading, withoutTitle } from "./headings.ts";
import { createRepeats } from "./repeats.ts";
import type { Repeats } from "./repeats.ts";

/** Version of the text form. It is part of entity tags: answers in an earlier form are not used again. */
export const renderVersion = "9";

/** Separates pages in the text form. */
const separator = `\n\n${"-".repeat(32)}\n\n`;

/** The address of lines of a passage's page at the revision that was read. */
export type AddressOf = (passage: Passage, lines: readonly [number, number]) => string;

/**
 * The text form: passages as their authors wrote them, by page, the best page first. Each page has one heading, with the path to the
 * section that contains all its passages, and one source line. What is left out between two passages is named in its place.
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

/** The headings that all passages stand under. */
function commonWay(passages: readonly Passage[]): readonly string[] {
  const [first, ...others] = passages.map(({ breadcrumb }) => breadcrumb);
  const end = (first ?? []).findIndex((heading, at) => others.some((other) => other[at] !== heading));
  return end < 0 ? (first ?? []) : (first ?? []).slice(0, end);
}

/** What separates two passages of a page: the gap between them, and the headings of the second that are not shown yet. */
function between(before: Passage | undefined, passage: Passage, way: readonly string[], title: string): string[] {
  const { breadcrumb } = passage;
  const above = before === undefined ? way.length : Math.max(way.length, shared(before.breadcrumb, breadcrumb));
  // Behind a deeper section the passage repeats its own heading, unless it begins with one, to show where it stands.
  const isDeeper = before !== undefined && above === breadcrumb.length && before.breadcrumb.length > above;
  const goesBack = isDeeper && !beginsWithHeading(passage.blocks);
  const own = headingsOf(breadcrumb.slice(goesBack ? -1 : above), title);
  // The heading of a section that begins at the end of the passage before is shown there.
  const isBegun = before !== undefined && own.length > 0 && isSame(own[0] ?? "", lastHeading(before.blocks) ?? "");
  const shown = (isBegun ? own.slice(1) : own).map(oneLine);
  const heading = shown.length === 0 ? [] : [`#### ${shown.join(" > ")}`];
  if (before === undefined || follows(passage, before)) return heading;
  const gap = gapBetween(linesOf(before)?.[1], linesOf(passage)?.[0]);
  return [gap, ...heading];
}

/** Names the lines between two lines that are left out; without line numbers it only marks the gap. */
function gapBetween(line: number | undefined, other: number | undefined): string {
  if (line === undefined || other === undefined || other <= line + 1) return "[…]";
  return other === line + 2 ? `[line ${line + 1} left out]` : `[lines ${line + 1}-${other - 1} left out]`;
}

/** How many headings two breadcrumbs have in common. */
function shared(one: readonly string[], other: readonly string[]): number {
  const end = other.findIndex((heading, at) => one[at] !== heading);
  return end < 0 ? other.length : end;
}

/** The passage's lines in the file of its page. Lines of a fetched text are not shown. */
function linesOf({ source }: Passage): readonly [number, number] | undefined {
  return source.resource === undefined ? source.lines : undefined;
}

/** The addresses of the passages, consecutive ones in one; behind the first only their fragments if the page is the same. */
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

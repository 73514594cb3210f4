import { byPage, follows } from "../../domain/choosing.ts";
import { kindOf, type SourceSpec } from "../../domain/kinds/index.ts";
import {
  closeFences,
  headingsOf,
  isSameHeading,
  piecesOf,
  renderExample,
  repeatedCode,
  type Piece,
} from "../../domain/markdown.ts";
import { oneLine } from "../../domain/one-line.ts";
import type { Passage } from "../../domain/passage.ts";
import { separator } from "./frame.ts";

/**
 * Renders the pieces of a passage as Markdown, which may depend on the passages that it has rendered. `isSection`: the passage has its own
 * heading.
 */
type RenderPieces = (pieces: readonly Piece[], isSection: boolean) => string[];

/** Repeated pieces of up to this many characters, without link addresses, are kept: the mark would be as long. */
const shortLength = 100;

/** Maximum length of a term, in characters, and of one that ends in a colon, in words. */
const maxTerm = { characters: 80, words: 4 };

/** Length of the quote that identifies a paragraph: in words, and in characters. */
const quoted = { words: 6, characters: 48 };

/**
 * Creates the renderer of an answer: a repeated paragraph or code block is replaced by a mark, unless its section has nothing new of some
 * length, or it is the first below a heading or a term.
 */
export function markingRepeats(): RenderPieces {
  const rendered = new Set<string>();
  const judge = (piece: Piece): Judged => {
    const isShort = isShortText(piece.text);
    const isRepeated = !isShort && rendered.has(piece.text);
    if (!isShort) rendered.add(piece.text);
    return { ...piece, isRepeated, isNew: !isRepeated && !isShort };
  };
  return (pieces, isSection) => sectionsOf(pieces.map(judge)).flatMap((section) => renderSection(section, isSection));
}

/** Renders every piece, repeated or not. */
export const everyPiece: RenderPieces = (pieces) => pieces.flatMap(renderPiece);

function renderPiece({ text, example }: Piece): string[] {
  return example ? renderExample(example) : [closeFences(text)];
}

/** A piece, and whether the answer has it already, or it is new and of some length. */
interface Judged extends Piece {
  readonly isRepeated: boolean;
  readonly isNew: boolean;
}

/** Groups pieces by heading. */
function sectionsOf(pieces: readonly Judged[]): readonly (readonly Judged[])[] {
  const sections: Judged[][] = [[]];
  for (const piece of pieces) {
    if (piece.heading !== undefined) sections.push([]);
    sections.at(-1)?.push(piece);
  }
  return sections;
}

function renderSection(pieces: readonly Judged[], isSection: boolean): string[] {
  const hasNew = pieces.some(({ isNew }) => isNew);
  const parts: string[] = [];
  /** Consecutive repeated paragraphs. */
  let repeated: string[] = [];
  const markRepeated = (): void => {
    if (repeated.length > 0) parts.push(markOf(repeated));
    repeated = [];
  };
  for (const [at, piece] of pieces.entries()) {
    const { text, example, isRepeated } = piece;
    const above = pieces[at - 1];
    const isFirst = example === undefined && !isName(piece) && (above === undefined ? isSection : isName(above));
    const isMarked = isRepeated && hasNew && !isFirst;
    if (isMarked && example === undefined) repeated.push(text);
    else {
      markRepeated();
      parts.push(...(isMarked && example ? [repeatedCode(example)] : renderPiece(piece)));
    }
  }
  markRepeated();
  return parts;
}

/** Whether a piece only names something, as headings and terms do: `**Type**`, `- name (string)`, `Default:`. */
function isName({ text, heading, example }: Piece): boolean {
  if (heading !== undefined || example !== undefined) return heading !== undefined;
  if (text.length > maxTerm.characters || text.includes("\n") || /[.!?。！？][*_)"']{0,3}$/.test(text)) return false;
  return !/[:：]$/.test(text) || text.split(" ").length <= maxTerm.words;
}

/** The mark in place of paragraphs that the answer already has. */
function markOf([first = "", ...others]: readonly string[]): string {
  const words = withoutAddresses(first)
    .replace(/[#>|[\]`*_~]+/g, " ")
    .trim()
    .split(/\s+/)
    .slice(0, quoted.words)
    .join(" ");
  const count = others.length === 0 ? "" : `${others.length + 1} paragraphs `;
  return `[${count}as above: ${words.slice(0, quoted.characters)}…]`;
}

function isShortText(text: string): boolean {
  return text.length <= shortLength || (text.includes("](") && withoutAddresses(text).length <= shortLength);
}

function withoutAddresses(markdown: string): string {
  return markdown.replace(/\]\([^()\s]{0,2000}\)/g, "]");
}

/** To be changed whenever the same passages are rendered differently: it invalidates cached answers. */
export const renderVersion = "9";

/** The address of lines of a page at its revision. */
export type AddressOf = (passage: Passage, lines: readonly [number, number]) => string;

/** The addresses of lines in a source. */
export function addressIn(source: SourceSpec): AddressOf {
  const { address } = kindOf(source);
  return ({ page }, lines) => address(source, page.url, { lines });
}

/**
 * The text form: passages verbatim, best page first. Each page has a heading with the common breadcrumb of its passages, and a
 * line with its source. Omissions between two passages are marked.
 */
export function renderText(passages: readonly Passage[], addressOf: AddressOf, render = markingRepeats()): string {
  return byPage(passages)
    .map((page) => renderPage(page, addressOf, render))
    .join(separator);
}

/** A passage with its pieces. */
interface Split extends Passage {
  readonly pieces: readonly Piece[];
}

function renderPage(passages: readonly Passage[], addressOf: AddressOf, render: RenderPieces): string {
  const common = commonBreadcrumb(passages);
  const title = passages[0]?.page.title ?? "";
  const split = passages.map((passage) => ({ ...passage, pieces: piecesOf(passage.blocks, title) }));
  const parts = split.flatMap((passage, at) => [
    ...between(split[at - 1], passage, common, title),
    ...render(passage.pieces, headingsOf(passage.breadcrumb, title).length > 0),
  ]);
  const heading = [title, ...headingsOf(common, title)].map(oneLine).filter((text) => text !== "");
  return [`### ${heading.join(" > ")}`, `Source: ${sourcesOf(passages, addressOf)}`, ...parts].join("\n\n");
}

function commonBreadcrumb(passages: readonly Passage[]): readonly string[] {
  const [first = [], ...others] = passages.map(({ breadcrumb }) => breadcrumb);
  return others.reduce((common, other) => common.slice(0, commonLength(other, common)), first);
}

/** The separator of two passages of a page: the omission mark, and the further headings of the second one. */
function between(before: Split | undefined, passage: Split, common: readonly string[], title: string): string[] {
  const { breadcrumb, pieces } = passage;
  const above = Math.max(common.length, commonLength(before?.breadcrumb ?? [], breadcrumb));
  // A passage after a deeper section needs a heading to show where it belongs.
  const isDeeper = above === breadcrumb.length && (before?.breadcrumb.length ?? 0) > above;
  const goesBack = isDeeper && pieces[0]?.heading === undefined;
  const headings = headingsOf(breadcrumb.slice(goesBack ? -1 : above), title);
  // The heading of a section that began in the previous passage is there already.
  const last = before?.pieces.findLast(({ heading }) => heading !== undefined);
  const isBegun = isSameHeading(headings[0] ?? "", last?.heading ?? "");
  const shown = (isBegun ? headings.slice(1) : headings).map(oneLine).join(" > ");
  const hasGap = before !== undefined && !follows(passage, before);
  return [
    hasGap ? gapBetween(linesOf(before)?.[1], linesOf(passage)?.[0]) : "",
    shown === "" ? "" : `#### ${shown}`,
  ].filter((part) => part !== "");
}

/** The omission mark for the lines between two lines; without numbers if they are unknown. */
function gapBetween(line: number | undefined, other: number | undefined): string {
  if (line === undefined || other === undefined || other <= line + 1) return "[…]";
  return other === line + 2 ? `[line ${line + 1} left out]` : `[lines ${line + 1}-${other - 1} left out]`;
}

/** Length of the common prefix of two breadcrumbs. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = other.findIndex((heading, at) => one[at] !== heading);
  return end < 0 ? other.length : end;
}

/** The lines of a passage in the file of its page. Lines of a fetched text mean nothing to a reader. */
function linesOf({ source }: Passage): readonly [number, number] | undefined {
  return source.resource === undefined ? source.lines : undefined;
}

/** The address of the first line range, and the line anchors of the others. */
function sourcesOf(passages: readonly Passage[], addressOf: AddressOf): string {
  const ranges: { readonly passage: Passage; lines: readonly [number, number] | undefined }[] = [];
  for (const [at, passage] of passages.entries()) {
    const lines = linesOf(passage);
    const before = passages[at - 1];
    const last = ranges.at(-1);
    if (before !== undefined && last?.lines && lines && follows(passage, before))
      last.lines = [last.lines[0], Math.max(last.lines[1], lines[1])];
    else ranges.push({ passage, lines });
  }
  const addresses = ranges.map(({ passage, lines }) => (lines ? addressOf(passage, lines) : passage.source.url));
  const [first = "", ...others] = [...new Set(addresses)];
  const page = first.slice(0, first.indexOf("#") + 1);
  const shown = others.map((address) =>
    page !== "" && address.startsWith(page) ? address.slice(page.length - 1) : address,
  );
  return [first, ...shown].map(oneLine).join(", ");
}

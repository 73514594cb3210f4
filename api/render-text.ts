import { byPage, follows } from "../domain/choosing.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage, ExampleBlock, PassageBlock } from "../domain/passage.ts";
import {
  beginsWithHeading,
  headingsOf,
  isSameHeading,
  lastHeading,
  withoutTitle,
  headingText,
  closeFences,
  paragraphsOf,
  renderExample,
  repeatedCode,
} from "../domain/markdown.ts";

/** Tracks the paragraphs and code of an answer. */
interface Repeats {
  /**
   * Renders the blocks of a passage as Markdown. A repeated paragraph or code block is replaced by a mark, unless its section has
   * nothing new of some length, or it is the first below a heading or a term. `isSection`: the passage has its own heading.
   */
  render(blocks: readonly PassageBlock[], isSection: boolean): string[];
}

/** Repeated blocks of up to this many characters, without link addresses, are kept: the mark would be as long. */
const shortLength = 100;

/** Maximum length of a term, in characters, and of one that ends in a colon, in words. */
const maxTerm = { characters: 80, words: 4 };

/** Length of the quote that identifies a paragraph: in words, and in characters. */
const quoted = { words: 6, characters: 48 };

/** A paragraph or a code block. */
interface Piece {
  readonly kind: "heading" | "term" | "prose" | "code";
  /** Equal for repetitions. */
  readonly text: string;
  readonly isRepeated: boolean;
  readonly example?: ExampleBlock;
}

/** Creates the tracker of an answer. */
export function createRepeats(): Repeats {
  const rendered = new Set<string>();
  const isRepeated = (text: string): boolean => {
    if (isShort(text)) return false;
    if (rendered.has(text)) return true;
    rendered.add(text);
    return false;
  };
  const piecesOf = (block: PassageBlock): Piece[] => {
    if (block.type === "code") {
      const text = block.codes.map(({ code }) => code).join("\n");
      return [{ kind: "code", text, isRepeated: isRepeated(text), example: block }];
    }
    return paragraphsOf(block.markdown.trim()).map((text) => ({
      kind: kindOf(text),
      text,
      isRepeated: isRepeated(text),
    }));
  };
  return {
    render: (blocks, isSection) =>
      sectionsOf(blocks.flatMap(piecesOf)).flatMap((pieces) => renderSection(pieces, isSection)),
  };
}

/** Renders every block, repeated or not. */
export const everyBlock: Repeats = {
  render: (blocks) =>
    blocks.flatMap((block) => (block.type === "code" ? renderExample(block) : [closeFences(block.markdown.trim())])),
};

/** Groups pieces by heading. */
function sectionsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const sections: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind === "heading") sections.push([]);
    sections.at(-1)?.push(piece);
  }
  return sections;
}

function renderSection(pieces: readonly Piece[], isSection: boolean): string[] {
  const isAllRepeated = pieces.every(({ isRepeated, text }) => isRepeated || isShort(text));
  const parts: string[] = [];
  /** Consecutive repeated paragraphs. */
  let repeated: string[] = [];
  const markRepeated = (): void => {
    if (repeated.length > 0) parts.push(markOf(repeated));
    repeated = [];
  };
  for (const [at, { kind, text, isRepeated, example }] of pieces.entries()) {
    const above = pieces[at - 1]?.kind ?? (isSection ? "heading" : "prose");
    const isFirst = kind === "prose" && (above === "heading" || above === "term");
    const isKept = !isRepeated || isAllRepeated || isFirst;
    if (!isKept && example === undefined) {
      repeated.push(text);
      continue;
    }
    markRepeated();
    if (example === undefined) parts.push(closeFences(text));
    else parts.push(...(isKept ? renderExample(example) : [repeatedCode(example)]));
  }
  markRepeated();
  return parts;
}

/** The kind of a paragraph. A term is a line that only names something: `**Type**`, `- name (string)`, `Default:`. */
function kindOf(text: string): Piece["kind"] {
  if (headingText(text) !== undefined) return "heading";
  if (text.length > maxTerm.characters || text.includes("\n") || /[.!?。！？][*_)"']{0,3}$/.test(text)) return "prose";
  return /[:：]$/.test(text) && text.split(" ").length > maxTerm.words ? "prose" : "term";
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

function isShort(text: string): boolean {
  return text.length <= shortLength || (text.includes("](") && withoutAddresses(text).length <= shortLength);
}

function withoutAddresses(markdown: string): string {
  return markdown.replace(/\]\([^()\s]{0,2000}\)/g, "]");
}

/** To be changed whenever the same passages are rendered differently: it invalidates cached answers. */
export const renderVersion = "9";

/** Separator between pages in the text form. */
export const separator = `\n\n${"-".repeat(32)}\n\n`;

/** The address of lines of a page at its revision. */
export type AddressOf = (passage: Passage, lines: readonly [number, number]) => string;

/**
 * The text form: passages verbatim, best page first. Each page has a heading with the common breadcrumb of its passages, and a
 * line with its source. Omissions between two passages are marked.
 */
export function renderText(passages: readonly Passage[], addressOf: AddressOf, repeats = createRepeats()): string {
  return byPage(passages)
    .map((page) => renderPage(page, addressOf, repeats))
    .join(separator);
}

function renderPage(passages: readonly Passage[], addressOf: AddressOf, repeats: Repeats): string {
  const common = commonBreadcrumb(passages);
  const title = passages[0]?.page.title ?? "";
  const parts = passages.flatMap((passage, at) => {
    const untitled = { ...passage, blocks: withoutTitle(passage.blocks, title) };
    const blocks = repeats.render(untitled.blocks, headingsOf(passage.breadcrumb, title).length > 0);
    return [...between(passages[at - 1], untitled, common, title), ...blocks];
  });
  const heading = [title, ...headingsOf(common, title)].map(oneLine).filter((text) => text !== "");
  return [`### ${heading.join(" > ")}`, `Source: ${sourcesOf(passages, addressOf)}`, ...parts].join("\n\n");
}

function commonBreadcrumb(passages: readonly Passage[]): readonly string[] {
  const [first = [], ...others] = passages.map(({ breadcrumb }) => breadcrumb);
  return others.reduce((common, other) => common.slice(0, commonLength(other, common)), first);
}

/** The separator of two passages of a page: the omission mark, and the further headings of the second one. */
function between(before: Passage | undefined, passage: Passage, common: readonly string[], title: string): string[] {
  const { breadcrumb } = passage;
  const above =
    before === undefined ? common.length : Math.max(common.length, commonLength(before.breadcrumb, breadcrumb));
  // A passage after a deeper section needs a heading to show where it belongs.
  const isDeeper = before !== undefined && above === breadcrumb.length && before.breadcrumb.length > above;
  const goesBack = isDeeper && !beginsWithHeading(passage.blocks);
  const headings = headingsOf(breadcrumb.slice(goesBack ? -1 : above), title);
  // The heading of a section that began in the previous passage is there already.
  const last = before && lastHeading(before.blocks);
  const isBegun = before !== undefined && headings.length > 0 && isSameHeading(headings[0] ?? "", last ?? "");
  const shown = (isBegun ? headings.slice(1) : headings).map(oneLine);
  const heading = shown.length === 0 ? [] : [`#### ${shown.join(" > ")}`];
  if (before === undefined || follows(passage, before)) return heading;
  const gap = gapBetween(linesOf(before)?.[1], linesOf(passage)?.[0]);
  return [gap, ...heading];
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

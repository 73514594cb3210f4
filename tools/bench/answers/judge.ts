import { parseBlocks, type Block } from "./blocks.ts";
import { plain, type SourcePage } from "./page.ts";
import { tokensOf } from "./tokens.ts";

/** Consecutive blocks of one page in an answer in the text form. */
interface PageGroup {
  /** Address of the page without fragment; "" if the answer names none. */
  readonly url: string;
  /** In the order of the answer, with titles and lines that name sources. */
  readonly blocks: readonly Block[];
}

/** Figures of one answer in the text form. */
export interface TextFigures {
  /** Tokens of the whole text. */
  readonly tokens: number;
  /** Tokens in headings and in lines that name sources. */
  readonly headingTokens: number;
  /** Paragraphs and items that lead to code, a list, a table or a quote in their page, and those that lead to nothing in the answer. */
  readonly leadIns: { readonly counted: number; readonly toNothing: number };
  /** Blocks of code whose place is known, and those that follow what they follow in their page. */
  readonly places: { readonly judged: number; readonly inPlace: number };
  /** Whether a long line occurs twice. */
  readonly repeats: boolean;
}

/** Judges an answer in the text form; `pageAt` reads a page by its address. */
export function judgeText(text: string, pageAt: (url: string) => SourcePage | undefined): TextFigures {
  const groups = parseTextAnswer(text);
  const blocks = groups.flatMap((group) => group.blocks);
  const overhead = blocks.filter(({ kind }) => kind === "title" || kind === "heading" || kind === "provenance");
  const leadIns = { counted: 0, toNothing: 0 };
  const places = { judged: 0, inPlace: 0 };
  for (const { url, blocks: own } of groups) {
    const page = pageAt(url);
    if (page === undefined) continue;
    for (const [at, block] of own.entries()) {
      if (isLeadIn(block) && page.findText(block).some((place) => followerOf(page.blocks, place) !== undefined)) {
        leadIns.counted += 1;
        if (followerOf(own, at) === undefined) leadIns.toNothing += 1;
      }
      const isInPlace = block.kind === "code" ? judgePlace(page, own, at) : undefined;
      if (isInPlace === undefined) continue;
      places.judged += 1;
      if (isInPlace) places.inPlace += 1;
    }
  }
  return {
    tokens: tokensOf(text),
    headingTokens: overhead.reduce((sum, block) => sum + tokensOf(`${block.text}\n\n`), 0),
    leadIns,
    places,
    repeats: hasRepeatedLine(blocks),
  };
}

/** Dashes between two parts, only before the beginning of a part: a page may have such a line itself. */
const separator = /\n+-{32}\n+(?=(?:#{1,6} [^\n]*\n+)?Source:)/;
const source = /^Source:\s+([^\s#]+)/;

/** Parses an answer in the text form into groups of consecutive blocks of one page. */
export function parseTextAnswer(text: string): readonly PageGroup[] {
  const groups: { url: string; blocks: Block[] }[] = [];
  for (const part of text.split(separator)) {
    const blocks = markTitles(parseBlocks(part));
    const named = blocks.map(({ kind, text: line }) => (kind === "provenance" ? source.exec(line) : null));
    const [, url = ""] = named.find((match) => match !== null) ?? [];
    const last = groups.at(-1);
    if (last && last.url === url) last.blocks.push(...blocks);
    else groups.push({ url, blocks: [...blocks] });
  }
  return groups;
}

/** A heading before the line of the source is the form's, not the page's. */
function markTitles(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block, at) =>
    block.kind === "heading" && blocks[at + 1]?.text.startsWith("Source:") ? { ...block, kind: "title" } : block,
  );
}

const colon = /[:：][\s*_)]*$/;
const words = /\b(?:for example|for instance|e\.g\.|as follows|like this|like so)[\s,.…*_]*$/i;
/** A short, wholly emphasised line labels the next block, and is skipped. */
const label = /^\s*(\*\*|__|\*|_|`)[^\n]{1,60}\1:?\s*$/;

/** Whether a block announces the next one: it ends in a colon, or in "for example" and the like. */
function isLeadIn({ kind, text }: Block): boolean {
  return (kind === "prose" || kind === "list") && (colon.test(text) || words.test(text));
}

/** The block that a lead-in leads to; undefined if prose, a heading or an item that is no deeper comes first. */
function followerOf(blocks: readonly Block[], at: number): Block | undefined {
  const leadIn = blocks[at];
  for (const block of blocks.slice(at + 1)) {
    const { kind, text, indent } = block;
    if (kind === "list") return leadIn?.kind === "list" && indent <= leadIn.indent ? undefined : block;
    if (kind === "code" || kind === "table" || kind === "quote" || kind === "leftOut") return block;
    if (kind === "heading" || (kind === "prose" && !label.test(text))) return undefined;
  }
  return undefined;
}

const preceding: ReadonlySet<Block["kind"]> = new Set(["title", "heading", "prose", "list", "quote", "table", "code"]);

/**
 * Whether the last paragraph, heading or block of code before a block of code precedes it in the page too, without other code or another
 * heading between them. If the answer says that it left something out there, the code only has to come later in the page. Undefined if
 * one of them is not in the page.
 */
function judgePlace(page: SourcePage, blocks: readonly Block[], at: number): boolean | undefined {
  const codes = page.findCode(blocks[at]?.text ?? "");
  const from = blocks.findLastIndex(
    ({ kind, text }, place) => place < at && preceding.has(kind) && (kind === "code" || plain(text) !== ""),
  );
  const before = blocks[from];
  if (codes.length === 0 || !before) return undefined;
  const starts = before.kind === "code" ? page.findCode(before.text) : page.findText(before);
  if (starts.length === 0) return undefined;
  const hasGap = blocks.slice(from, at).some(({ kind }) => kind === "leftOut");
  const follows = (start: number, code: number): boolean => {
    if (start >= code) return false;
    const between = page.blocks.slice(start + 1, code);
    const separates = ({ kind }: Block): boolean => kind === "code" || (kind === "heading" && before.kind !== "code");
    return hasGap || !between.some(separates);
  };
  return codes.some((code) => starts.some((start) => follows(start, code)));
}

/** Shorter lines, in characters, repeat for good reasons: an import, a closing bracket, the name of an option. */
const minLength = 40;

/** Whether a line of more than 40 characters occurs twice; lines that name sources do not count. */
function hasRepeatedLine(blocks: readonly Block[]): boolean {
  const lines = blocks
    .filter(({ kind }) => kind !== "provenance")
    .flatMap(({ text }) => text.split("\n").map((line) => line.trim()))
    .filter((line) => line.length > minLength && /[\p{L}\p{N}]/u.test(line));
  return new Set(lines).size < lines.length;
}

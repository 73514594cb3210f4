import type { Block, Document, LeftOut, ParagraphBlock, ProseBlock, Lines } from "../blocks.ts";
import { toLanguage } from "../language.ts";
import { isLinkList } from "../link-lists.ts";
import { isCalloutLabel, unindentCallout } from "./callouts.ts";
import { inTab, toCode, toHeldCode } from "./code-blocks.ts";
import { createSections, haveNamedAnchors, headingText, withoutAnchor } from "./headings.ts";
import { readHtml } from "./html.ts";
import type { HtmlPiece } from "./html.ts";
import { isFieldList } from "./fields.ts";
import { stripAttributes, stripTags } from "./tags.ts";
import { toLines, lineAt } from "./lines.ts";
import type { Range, SourceLines } from "./lines.ts";
import { createLinks, readFootnotes } from "./links.ts";
import type { Links } from "./links.ts";
import type { ParsedMarkdown } from "./parser.ts";
import { dedent, findParts } from "./paragraph-parts.ts";
import type { Part } from "./paragraph-parts.ts";
import { cleanProse } from "./prose.ts";
import { createTabs } from "./tabs.ts";
import type { ValueOf } from "./variables.ts";

/** Stands for code in the prose of a container while that is cleaned, with the code's number behind it. */
const gapMark = "\u0001";
// oxlint-disable-next-line no-control-regex -- prose is without it before the marks are put in
const gap = /^[ \t>]*\u0001(\d+)[ \t]*(?:\n|$)/m;

/** The prose of a container: what stands before each block of code in it, and behind the last one; null where that is nothing. */
function proseAround(
  codes: readonly Range[],
  place: { readonly lines: SourceLines; readonly mdx: boolean },
  links: Links,
  range: Range,
  closing: string,
): readonly (ProseBlock | null)[] {
  let parts: string[] = [];
  let next = 0;
  for (let line = range[0]; line < range[1]; line++) {
    while (next < codes.length && (codes[next]?.[1] ?? 0) <= line) next++;
    const code = codes[next];
    if (code === undefined || line < code[0]) parts.push(lineAt(place.lines, line).replaceAll(gapMark, ""));
    else if (line === code[0]) parts.push(`${gapMark}${next}`);
  }
  const callout = closing === "admonition_close";
  const isTab = callout && (parts[0] ?? "").trimStart().startsWith("===");
  if (callout) parts = unindentCallout(parts);
  else if (closing === "definition_close")
    parts = parts.map((line, index) => line.replace(index === 0 ? /^[ \t]*:[ \t]+/ : /^ {1,4}/, ""));
  const markdown = cleanProse(parts.join("\n"), place.mdx, links);
  const [first = "", ...others] = markdown.split(gap);
  const pieces = new Map([[0, first]]);
  // Code in a comment has no gap.
  for (let at = 0; at < others.length; at += 2) pieces.set(Number(others[at]) + 1, others[at + 1] ?? "");
  return Array.from({ length: codes.length + 1 }, (_, at) => {
    const prose = undented(pieces.get(at) ?? "");
    // The label of a tab without anything under it but code, which has it.
    if (!readable.test(prose) || (isTab && /^\*\*[^*\n]*\*\*$/.test(prose))) return null;
    const lines: Lines = [(codes[at - 1] ?? [0, range[0]])[1] + 1, codes[at]?.[0] ?? range[1]];
    return { type: "prose", markdown: prose, lines: [lines[0], Math.max(...lines)] };
  });
}

const readable = /[\p{L}\p{N}]/u;

/** Prose without the indentation of the item of a list that it begins in, and without empty lines at its ends, those of quotes as well. */
function undented(prose: string): string {
  let least = Infinity;
  const lines = prose.split("\n").map((line) => {
    const width = line.search(/[^ \t]/);
    if (width < 0) return "";
    least = Math.min(least, width);
    return line.slice(least);
  });
  const says = (line: string): boolean => /[^\s>]/.test(line);
  return lines
    .slice(Math.max(0, lines.findIndex(says)), lines.findLastIndex(says) + 1)
    .join("\n")
    .trimEnd();
}

/** Blocks of a container with the prose around its code; `null` stands for code that is left out. */
function* inOrder(inside: readonly (Block | null)[], prose: readonly (ProseBlock | null)[]): Generator<Block> {
  let next = 0;
  let leads: Block[] = [];
  const before = function* (): Generator<Block> {
    const piece = prose[next++] ?? null;
    if (piece !== null) yield piece;
    yield* leads;
    leads = [];
  };
  for (const block of inside) {
    if (block !== null && block.type !== "code") leads.push(block);
    else {
      yield* before();
      if (block !== null) yield block;
    }
  }
  yield* leads;
  leads = [];
  yield* before();
}

/** The lines of the file that the parsed text is part of, and how many of them come before it. */
export interface ParsedText {
  readonly lines: SourceLines;
  readonly offset: number;
  readonly mdx: boolean;
  /** Finds the values of names in its front matter. */
  readonly valueOf: ValueOf;
}

/** Reduces the parser's tokens to blocks. Code of nothing but blanks is left out. */
export function toBlocks(
  { tokens, text, addressOf, isInComponent }: ParsedMarkdown,
  place: ParsedText,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const tabs = createTabs();
  const links = createLinks(addressOf, footnotes, place.lines.source.length + 10_000, place.valueOf);
  /** A container at the top level: its lines, those of the code in it, and the blocks in it so far. */
  let container: Range | null = null;
  let codes: Range[] = [];
  let inside: (Block | null)[] = [];
  /** The label of a callout, which is written before the block behind it. */
  let label: ParagraphBlock | ProseBlock | undefined;
  /** The label of the tab that has begun, which is written before its prose; its code has it already. */
  let tabLabel = "";
  /** The lines of the footnote that was read last. */
  let footnote: Range | undefined;
  /** Where the last tab of MkDocs ended, by nesting level: the next one may belong to its group. */
  const tabEnds: number[] = [];

  const hasAnchors = haveNamedAnchors(
    tokens.flatMap(({ type }, at) => (type === "heading_open" ? [tokens[at + 1]?.content ?? ""] : [])),
  );
  const parts = findParts(tokens);
  const sections = createSections();

  /** Takes a part that opens or closes a section, or begins a tab. */
  const follow = (part: Exclude<Part, { type: "text" }>, range: Range): void => {
    if (part.type === "tab") {
      tabs.read(part.source);
      const shown = tabs.place()?.label ?? "";
      tabLabel = shown === "" ? "" : `**${shown.replaceAll("*", "")}:**`;
      return;
    }
    const [level, title] =
      part.type === "open" ? [sections.open(), headingText(text(part.title))] : [sections.close(), ""];
    push({ type: "heading", level, text: title, lines: toLines(range), isPart: true });
  };
  const push = (block: Block): void => {
    const before = label;
    const shown = before?.markdown ?? tabLabel;
    if (block.type === "heading" || block.type === "code") {
      [label, tabLabel] = [undefined, ""];
      if (before !== undefined && block.type === "code") blocks.push(alone(before));
    } else if (block.markdown !== "") {
      label = isCalloutLabel(block.markdown) ? block : undefined;
      if (label !== undefined) return;
      tabLabel = "";
      if (shown !== "") {
        const goesOn = block.type === "paragraph" && !startsBlock.test(block.markdown);
        const joined = `${shown}${goesOn ? " " : "\n\n"}${block.markdown}`;
        blocks.push({ ...block, markdown: joined });
        return;
      }
    }
    blocks.push(block);
  };
  const add = (block: Block): void => {
    if (container === null) push(block);
    else inside.push(block);
  };

  for (const [index, token] of tokens.entries()) {
    if (token.type === "admonition_close" && token.info !== "") {
      tabs.close();
      tabEnds[token.level] = index;
    }
    const range = token.map === null ? null : shift(token.map, place.offset);
    if (range === null) {
      if (token.level === 0 && token.nesting === -1 && container !== null) {
        const prose = proseAround(codes, place, links, container, token.type);
        for (const block of inOrder(inside, prose)) push(block);
        container = null;
      }
      continue;
    }
    if (token.type === "fence" || token.type === "code_block" || token.type === "held_code") {
      codes.push(range);
      const block =
        token.type === "held_code"
          ? toHeldCode(token, range, place.lines, place.offset)
          : toCode(token, range, place.lines, tabs.file());
      const tab = tabs.place();
      if (block !== null && token.type === "code_block" && footnote !== undefined && range[0] - footnote[1] <= 1) {
        footnote = range;
        leftOut.push({ lines: block.lines, reason: "footnote" });
        if (container !== null) inside.push(null);
      } else if (block !== null) add(tab === undefined ? block : inTab(block, tab));
      else if (container !== null) inside.push(null);
    } else if (token.type === "heading_open" && token.level === 0) {
      tabs.heading();
      const title = headingText(
        text(withoutTags(withoutAnchor(links.fill(tokens[index + 1]?.content ?? ""), hasAnchors), place.mdx)),
      );
      push({ type: "heading", level: sections.heading(Number(token.tag[1])), text: title, lines: toLines(range) });
    } else if (token.type === "paragraph_open") {
      const source = tokens[index + 1]?.content ?? "";
      for (const part of parts.get(index) ?? [textOf(source, range)]) {
        const at: Range = [range[0] + part.from, range[0] + part.to];
        if (part.type !== "text") {
          follow(part, at);
          continue;
        }
        tabs.read(part.source);
        if (part.source.includes("[^") && readFootnotes(stripAttributes(stripTags(part.source)), footnotes)) {
          footnote = at;
          continue;
        }
        const mdx = isInComponent(at[0] - place.offset);
        const markdown = token.level === 0 ? cleanProse(mdx ? dedent(part.source) : part.source, mdx, links) : "";
        const paragraph: ParagraphBlock = {
          type: "paragraph",
          markdown,
          text: once(() => text(links.inlineFootnotes(withoutTags(links.fill(part.source.slice(0, 3000)), mdx)))),
          lines: toLines(at),
        };
        // A list of parameters does not introduce code.
        if (isFieldList(markdown)) add({ type: "prose", markdown, lines: paragraph.lines });
        // Paragraphs of nothing but tags or badges are dropped.
        else if (token.level > 0 || markdown !== "") add(paragraph);
      }
    } else if (token.type === "html_block" && token.level === 0) {
      const source = place.lines.source.slice(place.lines.starts[range[0]], place.lines.starts[range[1]]);
      for (const part of parts.get(index) ?? [textOf(source, range)]) {
        if (part.type === "text") {
          tabs.read(part.source);
          pushHtml(push, readHtml(part.source, range[0] + part.from + 1), (said) => links.fill(said), text);
        } else follow(part, [range[0] + part.from, range[0] + part.to]);
      }
    } else if (token.nesting === 1) {
      if (token.type === "admonition_open" && token.info !== "") {
        tabs.open(token.info, tabEnds[token.level] === index - 1);
      }
      if (token.level === 0) {
        container = range;
        codes = [];
        inside = [];
      }
    }
  }
  return { blocks, footnotes, leftOut };
}

/** Lists, tables, quotes and headings, also where the parser takes them for a paragraph as they are indented. */
const startsBlock = /^(?:[-*+|>]|\d{1,9}[.)]|#{1,6})(?:\s|$)|^\|/;

function textOf(source: string, [first, end]: Range): Part {
  return { type: "text", source, from: 0, to: end - first };
}

/** A label with nothing but code under it, which is served outside of the quote that both may be in. */
function alone({ markdown, lines }: ParagraphBlock | ProseBlock): ParagraphBlock {
  const shown = markdown.replace(/^> ?/, "");
  return { type: "paragraph", markdown: shown, text: () => shown.replace(/\*|:\**$/g, ""), lines };
}

function once(compute: () => string): () => string {
  let known: string | undefined;
  return () => (known ??= compute());
}

function shift([first, end]: readonly [number, number], offset: number): Range {
  return [first + offset, end + offset];
}

const markerLine = /^[ \t]*(?:\{%.*%\}[ \t]*|:::.*|::(?:[a-z].*)?|(?:@tab(?::\w+)?|==)[ \t].*|\/{3,}(?:[ \t].*)?)$/gm;
/** The number of a list's item that is indented deeper than parsers take it, as in components of MDX. */
const deepItem = /^\s*\d{1,2}[.)][ \t]+(?=\S)/;
const alertMark = /^\s*\[!\w{3,20}\][-+]?[ \t]*/;

function withoutTags(source: string, mdx: boolean): string {
  let stripped = mdx ? stripTags(source, true) : source;
  if (/^\s*\d/.test(stripped)) stripped = stripped.replace(deepItem, "");
  if (stripped.startsWith("[!")) stripped = stripped.replace(alertMark, "");
  if (stripped.includes("{") || stripped.includes("[](")) stripped = stripAttributes(stripped);
  if (stripped.includes("][")) stripped = stripped.replace(named, "$1");
  return /::|\{%|@tab|== |\/\/\//.test(stripped) ? stripped.replace(markerLine, "") : stripped;
}

/** A link by reference. */
const named = /(?<![!\\\]\w])\[((?:[^[\]\\`]|\\.|`[^`]{1,100}`){1,200})\]\[[^[\]\n]{0,200}\](?![(:[\]])/g;

type Push = (block: Block) => void;

function pushHtml(
  push: Push,
  pieces: readonly HtmlPiece[],
  fill: (text: string) => string,
  text: (source: string) => string,
): void {
  for (const read of pieces) {
    const piece = read.type === "code" ? read : { ...read, text: fill(read.text) };
    if (piece.type === "code") push({ ...piece, language: toLanguage(piece.language) });
    else if (piece.type === "heading") {
      const title = headingText(text(piece.text));
      if (title !== "") push({ type: "heading", level: piece.level, text: title, lines: piece.lines });
    } else if ((piece.type === "prose" || !isLinkList(piece.text)) && /[\p{L}\p{N}]/u.test(piece.text)) {
      const { text: markdown, lines } = piece;
      push(
        piece.type === "prose"
          ? { type: "prose", markdown, lines }
          : { type: "paragraph", markdown, text: once(() => text(markdown)), lines },
      );
    }
  }
}

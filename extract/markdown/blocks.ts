import type { Block, Document, LeftOut, ParagraphBlock, ProseBlock, Lines } from "../blocks.ts";
import { toLanguage } from "../language.ts";
import { isLinkList } from "../link-lists.ts";
import { isCalloutLabel, unindentCallout } from "./callouts.ts";
import { inTab, toCode, toHeldCode } from "./code-blocks.ts";
import { createSections, haveNamedAnchors, headingText, withoutAnchor } from "./headings.ts";
import { readHtml, type HtmlPiece } from "./html.ts";
import { isFieldList } from "./fields.ts";
import { stripAttributes, stripTags } from "./tags.ts";
import { toLines, lineAt, type Range, type SourceLines } from "./lines.ts";
import { createLinks, readFootnotes, type Links } from "./links.ts";
import type { ParsedMarkdown } from "./parser.ts";
import { dedent, findParts, type Part } from "./paragraph-parts.ts";
import { cleanProse } from "./prose.ts";
import { createTabs } from "./tabs.ts";
import type { ValueOf } from "./variables.ts";

/** Placeholder for code, followed by its number, in the prose of a container while that is cleaned. */
const gapMark = "\u0001";
// oxlint-disable-next-line no-control-regex -- removed from prose before the marks are inserted
const gap = /^[ \t>]*\u0001(\d+)[ \t]*(?:\n|$)/m;

/** The prose of a container before, between and after its code blocks; null if empty. */
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
  // Code in a comment has no placeholder.
  for (let at = 0; at < others.length; at += 2) pieces.set(Number(others[at]) + 1, others[at + 1] ?? "");
  return Array.from({ length: codes.length + 1 }, (_, at) => {
    const prose = undented(pieces.get(at) ?? "");
    // The label of a tab that holds only code is the code's.
    if (!readable.test(prose) || (isTab && /^\*\*[^*\n]*\*\*$/.test(prose))) return null;
    const lines: Lines = [(codes[at - 1] ?? [0, range[0]])[1] + 1, codes[at]?.[0] ?? range[1]];
    return { type: "prose", markdown: prose, lines: [lines[0], Math.max(...lines)] };
  });
}

const readable = /[\p{L}\p{N}]/u;

/** Prose without the indentation of the list item that it begins in, and without empty lines at both ends, including those of quotes. */
function undented(prose: string): string {
  let least = Infinity;
  const lines = prose.split("\n").map((line) => {
    const width = line.search(/[^ \t]/);
    if (width < 0) return "";
    least = Math.min(least, width);
    return line.slice(least);
  });
  const hasText = (line: string): boolean => /[^\s>]/.test(line);
  return lines
    .slice(Math.max(0, lines.findIndex(hasText)), lines.findLastIndex(hasText) + 1)
    .join("\n")
    .trimEnd();
}

/** Blocks of a container, with the prose around its code; null for omitted code. */
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

/** The place of a parsed text in its file. */
export interface ParsedText {
  /** Lines of the file. */
  readonly lines: SourceLines;
  /** Number of lines before the text. */
  readonly offset: number;
  readonly mdx: boolean;
  /** Finds the values of names in its front matter. */
  readonly valueOf: ValueOf;
}

/** Reduces the parser's tokens to blocks, without blank code. */
export function toBlocks(
  { tokens, text, addressOf, isInComponent }: ParsedMarkdown,
  place: ParsedText,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  const tabs = createTabs();
  const links = createLinks(addressOf, footnotes, place.lines.source.length + 10_000, place.valueOf);
  /** The open container at the top level: its lines, those of its code, and its blocks so far. */
  let container: Range | null = null;
  let codes: Range[] = [];
  let inside: (Block | null)[] = [];
  /** The label of a callout, to be put before the next block. */
  let label: ParagraphBlock | ProseBlock | undefined;
  /** The label of the open tab, to be put before its prose. Code has it in its place. */
  let tabLabel = "";
  /** The lines of the last footnote. */
  let footnote: Range | undefined;
  /** Index of the token that ends the last tab of MkDocs, by nesting level: the next tab may belong to its group. */
  const tabEnds: number[] = [];

  const hasAnchors = haveNamedAnchors(
    tokens.flatMap(({ type }, at) => (type === "heading_open" ? [tokens[at + 1]?.content ?? ""] : [])),
  );
  const parts = findParts(tokens);
  const sections = createSections();

  /** Handles a part that opens or closes a section, or begins a tab. */
  const enter = (part: Exclude<Part, { type: "text" }>, range: Range): void => {
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
      if (before !== undefined && block.type === "code") blocks.push(labelParagraph(before));
    } else if (block.markdown !== "") {
      label = isCalloutLabel(block.markdown) ? block : undefined;
      if (label !== undefined) return;
      tabLabel = "";
      if (shown !== "") {
        const isInline = block.type === "paragraph" && !startsBlock.test(block.markdown);
        const joined = `${shown}${isInline ? " " : "\n\n"}${block.markdown}`;
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
      for (const part of parts.get(index) ?? [textPart(source, range)]) {
        const at: Range = [range[0] + part.from, range[0] + part.to];
        if (part.type !== "text") {
          enter(part, at);
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
        // Paragraphs of just tags or badges are dropped.
        else if (token.level > 0 || markdown !== "") add(paragraph);
      }
    } else if (token.type === "html_block" && token.level === 0) {
      const source = place.lines.source.slice(place.lines.starts[range[0]], place.lines.starts[range[1]]);
      for (const part of parts.get(index) ?? [textPart(source, range)]) {
        if (part.type === "text") {
          tabs.read(part.source);
          for (const block of htmlBlocks(readHtml(part.source, range[0] + part.from + 1), links.fill, text))
            push(block);
        } else enter(part, [range[0] + part.from, range[0] + part.to]);
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

/** Lists, tables, quotes and headings, including indented ones, which are paragraphs to the parser. */
const startsBlock = /^(?:[-*+|>]|\d{1,9}[.)]|#{1,6})(?:\s|$)|^\|/;

function textPart(source: string, [first, end]: Range): Part {
  return { type: "text", source, from: 0, to: end - first };
}

/** The label of a callout that holds only code, as a paragraph outside of the quote that both may be in. */
function labelParagraph({ markdown, lines }: ParagraphBlock | ProseBlock): ParagraphBlock {
  const shown = markdown.replace(/^> ?/, "");
  return { type: "paragraph", markdown: shown, text: () => shown.replace(/\*|:\**$/g, ""), lines };
}

function once(compute: () => string): () => string {
  let cached: string | undefined;
  return () => (cached ??= compute());
}

function shift([first, end]: readonly [number, number], offset: number): Range {
  return [first + offset, end + offset];
}

const markerLine = /^[ \t]*(?:\{%.*%\}[ \t]*|:::.*|::(?:[a-z].*)?|(?:@tab(?::\w+)?|==)[ \t].*|\/{3,}(?:[ \t].*)?)$/gm;
/** The number of a list item that is indented too deep for the parser, as in components of MDX. */
const deepItem = /^\s*\d{1,2}[.)][ \t]+(?=\S)/;
const alertMark = /^\s*\[!\w{3,20}\][-+]?[ \t]*/;

function withoutTags(source: string, mdx: boolean): string {
  let stripped = mdx ? stripTags(source, true) : source;
  if (/^\s*\d/.test(stripped)) stripped = stripped.replace(deepItem, "");
  if (stripped.startsWith("[!")) stripped = stripped.replace(alertMark, "");
  if (stripped.includes("{") || stripped.includes("[](")) stripped = stripAttributes(stripped);
  if (stripped.includes("][")) stripped = stripped.replace(referenceLink, "$1");
  return /::|\{%|@tab|== |\/\/\//.test(stripped) ? stripped.replace(markerLine, "") : stripped;
}

const referenceLink = /(?<![!\\\]\w])\[((?:[^[\]\\`]|\\.|`[^`]{1,100}`){1,200})\]\[[^[\]\n]{0,200}\](?![(:[\]])/g;

/** The blocks of HTML, without headings and paragraphs that have no text. */
function* htmlBlocks(
  pieces: readonly HtmlPiece[],
  fill: (text: string) => string,
  text: (source: string) => string,
): Generator<Block> {
  for (const piece of pieces) {
    const { lines } = piece;
    if (piece.type === "code") {
      yield { ...piece, language: toLanguage(piece.language) };
      continue;
    }
    const markdown = fill(piece.text);
    if (piece.type === "heading") {
      const title = headingText(text(markdown));
      if (title !== "") yield { type: "heading", level: piece.level, text: title, lines };
    } else if (readable.test(markdown)) {
      if (piece.type === "prose") yield { type: "prose", markdown, lines };
      else if (!isLinkList(markdown)) yield { type: "paragraph", markdown, text: once(() => text(markdown)), lines };
    }
  }
}

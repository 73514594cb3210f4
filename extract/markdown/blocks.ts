import type { Token } from "markdown-it";
import type { Block, CodeBlockFound, Lines, ParagraphBlock } from "../blocks.ts";
import { parseInfoString } from "./info-string.ts";
import type { SourceLines } from "./lines.ts";
import { lineAt, verbatim } from "./lines.ts";
import type { ParsedMarkdown } from "./parser.ts";
import { cleanProse, isLinkList, stripTags } from "./prose.ts";

/** Where the parsed text stands: its file's lines, and how many of them come before it. */
export interface Place {
  readonly lines: SourceLines;
  readonly offset: number;
  readonly mdx: boolean;
}

/** A range of lines counted from 0, the last excluded, as the parser has them. */
type Range = readonly [number, number];

/** Reduces the parser's tokens to blocks. Code without anything but blanks in it is left out. */
export function toBlocks({ tokens, text }: ParsedMarkdown, place: Place): Block[] {
  const blocks: Block[] = [];
  let container: Range | null = null;
  let codes: Range[] = [];

  for (const [index, token] of tokens.entries()) {
    const range = token.map === null ? null : shift(token.map, place.offset);
    if (range === null) {
      if (token.level === 0 && token.nesting === -1 && container !== null) {
        pushProse(blocks, place, container, codes, token.type);
        container = null;
      }
      continue;
    }
    if (token.type === "fence" || token.type === "code_block") {
      codes.push(range);
      const block = toCode(token, range, place);
      if (block !== null) blocks.push(block);
    } else if (token.type === "heading_open" && token.level === 0) {
      const source = withoutTags(tokens[index + 1]?.content ?? "", place.mdx);
      blocks.push({
        type: "heading",
        level: Number(token.tag[1]),
        text: headingText(text(source)),
        lines: toLines(range),
      });
    } else if (token.type === "paragraph_open") {
      const paragraph = toParagraph(tokens[index + 1]?.content ?? "", range, place, token.level === 0, text);
      // Nothing but tags or badges.
      if (token.level > 0 || paragraph.markdown !== "") blocks.push(paragraph);
    } else if (token.type === "html_block" && token.level === 0) {
      pushHtml(blocks, place, range);
    } else if (token.level === 0 && token.nesting === 1 && token.type !== "heading_open") {
      container = range;
      codes = [];
    }
  }
  return blocks;
}

function shift([first, end]: readonly [number, number], offset: number): Range {
  return [first + offset, end + offset];
}

function toLines([first, end]: Range): Lines {
  return [first + 1, Math.max(end, first + 1)];
}

function toCode(token: Token, range: Range, { lines }: Place): CodeBlockFound | null {
  if (token.content.trim() === "") return null;
  const fenced = token.type === "fence";
  const first = fenced ? range[0] + 1 : range[0];
  // The parser's copy has one line end for each line that belongs to the block, which tells whether a fence was closed.
  const count = fenced ? countLines(token.content) : range[1] - range[0];
  const code = verbatim(lines, first, first + count, token.content);
  return { type: "code", ...(fenced ? parseInfoString(token.info) : { language: "" }), code, lines: toLines(range) };
}

function countLines(content: string): number {
  let count = 0;
  for (let at = content.indexOf("\n"); at >= 0; at = content.indexOf("\n", at + 1)) count++;
  return count;
}

function toParagraph(
  source: string,
  range: Range,
  place: Place,
  outer: boolean,
  text: (source: string) => string,
): ParagraphBlock {
  return {
    type: "paragraph",
    markdown: outer ? cleanProse(source, place.mdx) : "",
    text: () => text(withoutTags(source.slice(0, 3000), place.mdx)),
    lines: toLines(range),
  };
}

function withoutTags(source: string, mdx: boolean): string {
  const stripped = mdx ? stripTags(source, true) : source;
  return stripped.includes(":::") ? stripped.replace(/^:{3,}.*$/gm, "") : stripped;
}

function headingText(text: string): string {
  return text
    .replace(/\s*\{:?\s*[#.][^}]*\}\s*$/, "")
    .replace(/\s*¶$/, "")
    .slice(0, 300)
    .trim();
}

function pushProse(blocks: Block[], place: Place, range: Range, codes: readonly Range[], closing: string): void {
  const parts: string[] = [];
  let next = 0;
  for (let line = range[0]; line < range[1]; line++) {
    while (next < codes.length && (codes[next]?.[1] ?? 0) <= line) next++;
    const code = codes[next];
    if (code === undefined || line < code[0]) parts.push(lineAt(place.lines, line));
  }
  const markdown = cleanProse(parts.join("\n"), place.mdx);
  if (markdown === "" || (closing.endsWith("list_close") && isLinkList(markdown))) return;
  // The label of a tab or callout without anything under it but code.
  if (closing === "admonition_close" && !markdown.includes("\n")) return;
  blocks.push({ type: "prose", markdown, lines: toLines(range) });
}

const hiddenElement = /^\s*<(?:script|style|svg|iframe|video|template)\b/i;
const htmlHeading = /<h([1-6])\b[^>]{0,300}>([\s\S]{0,500}?)<\/h\1>/i;

function pushHtml(blocks: Block[], place: Place, range: Range): void {
  const { source, starts } = place.lines;
  const html = source.slice(starts[range[0]], starts[range[1]]);
  if (hiddenElement.test(html)) return;
  const heading = html.length < 20_000 ? htmlHeading.exec(html) : null;
  const title =
    heading === null
      ? ""
      : stripTags(heading[2] ?? "")
          .replace(/\s+/g, " ")
          .trim();
  if (title !== "") blocks.push({ type: "heading", level: Number(heading?.[1]), text: title, lines: toLines(range) });
  const markdown = cleanProse(html.replaceAll(/\r\n?/g, "\n"), place.mdx).replace(/^[ \t]+/gm, "");
  if (markdown !== "" && markdown !== title) blocks.push({ type: "prose", markdown, lines: toLines(range) });
}

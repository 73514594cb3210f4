import type { Block, Document } from "./blocks.ts";
import { lineAt, lineCount, splitLines, type SourceLines } from "./markdown/lines.ts";

/** A line under a heading, as reStructuredText and old READMEs write it. */
const underline = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/;
const codeLike = /[{}();=<>$|\\]|^[ \t]*(?:#|\/\/)|\w\.\w+\(/m;

/** Reads plain text: paragraphs, underlined headings, and code where two or more lines indented by at least four look like code. */
export function readText(source: string): Document {
  const lines = splitLines(source);
  const count = isTable(lines) ? 0 : lineCount(lines);
  const blocks: Block[] = [];
  const levels: string[] = [];
  let line = 0;
  while (line < count) {
    if (lineAt(lines, line).trim() === "") {
      line++;
      continue;
    }
    const text = lineAt(lines, line);
    const rule = line + 1 < count ? lineAt(lines, line + 1) : "";
    if (underline.test(rule) && text.trim().length <= 120 && rule.trim().length >= text.trim().length * 0.6) {
      const sign = rule.charAt(0);
      if (!levels.includes(sign)) levels.push(sign);
      blocks.push({ type: "heading", level: levels.indexOf(sign) + 1, text: text.trim(), lines: [line + 1, line + 2] });
      line += 2;
      continue;
    }
    const first = line;
    const indented = isIndented(text);
    while (line < count && lineAt(lines, line).trim() !== "" && isIndented(lineAt(lines, line)) === indented) line++;
    if (indented) line = withGaps(lines, line, count);
    blocks.push(toBlock(lines, first, line, indented));
  }
  return { blocks, title: "", description: "", footnotes: new Map(), leftOut: [] };
}

/** Number of lines sampled to recognise a table of data. */
const maxProbed = 400;
/** A first field without blanks, and its separator. */
const row = /^[\w.+*-]{1,60}(?:\s{0,40}[;|\t]|,(?=\S))/;
/** A word, or the name of a metric with its labels and value. */
const item = /^[\p{L}\d_:'-]+(?:\{[^{}]*\})?(?: +[-+\d.eE]+)?$/u;

/** True for data in columns, a list of words or of metrics, apart from comments. */
function isTable(lines: SourceLines): boolean {
  let rows = 0;
  let words = 0;
  let others = 0;
  for (let line = 0; line < Math.min(lineCount(lines), maxProbed); line++) {
    const text = lineAt(lines, line).slice(0, 200).trim();
    if (text === "" || text.startsWith("#")) continue;
    if (row.test(text)) rows++;
    else if (item.test(text)) words++;
    else others++;
  }
  return (rows > 10 && rows > others * 2) || (words > 50 && words > others * 9);
}

function isIndented(text: string): boolean {
  return /^(?: {4}| {0,3}\t)/.test(text);
}

/** The end of an indented block, which continues after blank lines. */
function withGaps(lines: SourceLines, from: number, count: number): number {
  let end = from;
  for (let line = from; line < count; line++) {
    const text = lineAt(lines, line);
    if (text.trim() === "") continue;
    if (!isIndented(text)) break;
    end = line + 1;
  }
  return end;
}

function toBlock(lines: SourceLines, first: number, end: number, indented: boolean): Block {
  const texts = Array.from({ length: end - first }, (_, index) => lineAt(lines, first + index));
  const plain = texts.join("\n").trim();
  if (indented && end - first >= 2 && codeLike.test(plain)) {
    const code = dedent(lines, first, end);
    return { type: "code", language: "", code, lines: [first + 1, end] };
  }
  return {
    type: "paragraph",
    markdown: plain,
    text: () => plain.slice(0, 1500).replace(/\s+/g, " "),
    lines: [first + 1, end],
  };
}

/** The lines without the four blanks or the tab that mark code, and without the last line end. */
function dedent({ source, starts }: SourceLines, first: number, end: number): string {
  const parts: string[] = [];
  for (let line = first; line < end; line++)
    parts.push(source.slice(starts[line], starts[line + 1]).replace(/^(?: {4}| {0,3}\t)/, ""));
  return parts.join("").replace(/(?:\r\n?|\n)$/, "");
}

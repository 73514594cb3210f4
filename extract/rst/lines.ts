import type { Stretch } from "../blocks.ts";

/** A line of a file other than the page. */
interface Origin {
  readonly path: string;
  readonly line: number;
  /** The files that include that file, the page first. */
  readonly above: readonly string[];
}

/** A line of a text, without its indentation where it is nested. */
export interface Line {
  readonly text: string;
  /** Its number on the page, from 1; for text of another file that of the directive which shows it. */
  readonly at: number;
  /** The file and line that it comes from, if that is not the page. */
  readonly from?: Origin;
}

export type TextLines = readonly Line[];

/** Characters of East Asian scripts, which take two columns. */
export const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/g;

/** Columns between the stops of tabs. */
const tab = 8;

/** The lines of a page. */
export function toTextLines(source: string): TextLines {
  return source.split(/\r\n?|\n/).map((text, index) => ({ text: text.replace(/[\v\f]/g, " "), at: index + 1 }));
}

/** The lines of a text of another file, shown by a line of the page. `first`: the place of its first line. */
export function foreignLines(texts: readonly string[], at: number, first: Origin): TextLines {
  return texts.map((text, index) => ({ text, at, from: { ...first, line: first.line + index } }));
}

export function isBlank(line: Line | undefined): boolean {
  return line === undefined || line.text.trim() === "";
}

/** Width of the indentation, in columns. */
export function indentOf({ text }: Line): number {
  let column = 0;
  for (const char of text) {
    if (char === " " || char === "\u00A0") column++;
    else if (char === "\t") column += tab - (column % tab);
    else break;
  }
  return column;
}

/** A line without `width` columns of its indentation; a tab that goes beyond them leaves blanks. */
export function cut(line: Line, width: number): Line {
  if (width <= 0) return line;
  let [column, index] = [0, 0];
  while (column < width && index < line.text.length) {
    const char = line.text[index];
    if (char === " " || char === "\u00A0") column++;
    else if (char === "\t") column += tab - (column % tab);
    else break;
    index++;
  }
  return { ...line, text: " ".repeat(Math.max(0, column - width)) + line.text.slice(index) };
}

/** The lines without their common indentation. */
export function dedent(lines: TextLines): TextLines {
  const width = lines.reduce((least, line) => (isBlank(line) ? least : Math.min(least, indentOf(line))), Infinity);
  return width === Infinity || width === 0 ? lines : lines.map((line) => cut(line, width));
}

/** The lines without blank ones at both ends. */
export function trimBlank(lines: TextLines): TextLines {
  let [first, end] = [0, lines.length];
  while (first < end && isBlank(lines[first])) first++;
  while (end > first && isBlank(lines[end - 1])) end--;
  return lines.slice(first, end);
}

/** Index after the lines from `at` on that are blank or indented by at least `width` columns. */
export function endOfIndented(lines: TextLines, at: number, width = 1): number {
  let end = at;
  while (end < lines.length) {
    const line = lines[end];
    if (line === undefined || (!isBlank(line) && indentOf(line) < width)) break;
    end++;
  }
  return end;
}

/** What is in a marker's block: the rest of its line, and the indented lines below without their common indentation. */
export function blockOf(
  lines: TextLines,
  at: number,
  offset: number,
): { readonly block: TextLines; readonly end: number } {
  const end = endOfIndented(lines, at + 1);
  const [first] = lines.slice(at, at + 1);
  const rest = first === undefined ? [] : [{ ...first, text: first.text.slice(offset).trimStart() }];
  return { block: [...rest, ...dedent(lines.slice(at + 1, end))], end };
}

/** Index after the lines from `at` on that are not blank. */
export function endOfText(lines: TextLines, at: number): number {
  let end = at;
  while (end < lines.length && !isBlank(lines[end])) end++;
  return end;
}

export function textOfLines(lines: TextLines): string {
  return lines.map(({ text }) => text).join("\n");
}

/** The files and lines that lines come from; undefined if all are the page's. */
export function stretchesOf(lines: TextLines): readonly Stretch[] | undefined {
  const stretches: { path: string; lines: [number, number] }[] = [];
  for (const { from } of lines) {
    if (from === undefined) continue;
    const last = stretches.at(-1);
    if (last?.path === from.path && last.lines[1] === from.line - 1) last.lines[1] = from.line;
    else stretches.push({ path: from.path, lines: [from.line, from.line] });
  }
  return stretches.length === 0 ? undefined : stretches;
}

import type { Lines } from "../blocks.ts";

/**
 * The lines of a text, as offsets, so that parts of it can be taken as they are. A line ends with LF, CR LF or a lone
 * CR, as in CommonMark 0.31 (section 2.1) and in markdown-it.
 */
export interface SourceLines {
  readonly source: string;
  /** Where each line begins; one more entry than there are lines, the last being the length of the text. */
  readonly starts: readonly number[];
}

/** Lines counted from 0, the last excluded. */
export type Range = readonly [first: number, end: number];

/** A range as first and last line, from 1; an empty range is its first line. */
export function toLines([first, end]: Range): Lines {
  return [first + 1, Math.max(end, first + 1)];
}

/** Finds the lines of a text. */
export function splitLines(source: string): SourceLines {
  const starts = [0];
  for (const match of source.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  if (starts.at(-1) !== source.length) starts.push(source.length);
  return { source, starts };
}

/** How many lines a text has. */
export function lineCount({ starts }: SourceLines): number {
  return starts.length - 1;
}

/** One line, counted from 0, without its terminator; "" beyond the end. */
export function lineAt({ source, starts }: SourceLines, line: number): string {
  return source.slice(starts[line] ?? source.length, contentEnd({ source, starts }, line));
}

function contentEnd({ source, starts }: SourceLines, line: number): number {
  const start = starts[line] ?? source.length;
  let end = starts[line + 1] ?? source.length;
  if (end > start && source.charCodeAt(end - 1) === 10) end--;
  if (end > start && source.charCodeAt(end - 1) === 13) end--;
  return end;
}

/**
 * The code that a parser found on the lines from `first` to before `end`, as the file has it. `parsed` is the parser's
 * own copy, in which line ends are LF and a tab that the block's indentation ends in is spelled as spaces; it only says
 * how much of each line is indentation. A line of the result is always the end of a line of the file: such a tab is
 * kept whole. Line ends are the file's, without the last one.
 */
export function verbatim(lines: SourceLines, first: number, end: number, parsed: string): string {
  const { source, starts } = lines;
  if (end <= first) return "";
  const from = starts[first] ?? source.length;
  const to = contentEnd(lines, end - 1);
  if (to - from === parsed.length - 1 && source.startsWith(parsed.slice(0, -1), from)) return source.slice(from, to);
  let code = "";
  let at = 0;
  for (let line = first; line < end; line++) {
    const next = parsed.indexOf("\n", at);
    const wanted = parsed.slice(at, next < 0 ? parsed.length : next);
    at = next < 0 ? parsed.length : next + 1;
    const start = starts[line] ?? source.length;
    const stop = contentEnd(lines, line);
    code += source.slice(
      suffixStart(source.slice(start, stop), wanted) + start,
      line === end - 1 ? stop : starts[line + 1],
    );
  }
  return code;
}

function suffixStart(raw: string, wanted: string): number {
  if (raw.endsWith(wanted)) return raw.length - wanted.length;
  for (let spaces = 1; spaces <= 3; spaces++) {
    const tab = raw.length - wanted.length + spaces - 1;
    if (raw[tab] === "\t" && raw.endsWith(wanted.slice(spaces))) return tab;
  }
  throw new Error(`The parser read ${JSON.stringify(wanted)} on the line ${JSON.stringify(raw)}.`);
}

import type { Lines } from "../blocks.ts";

/** The lines of a text as offsets. A line ends with LF, CR LF or a lone CR, as in CommonMark 0.31 (section 2.1) and markdown-it. */
export interface SourceLines {
  readonly source: string;
  /** Offset of each line, and last the length of the text. */
  readonly starts: readonly number[];
}

/** Lines from 0, the last excluded. */
export type Range = readonly [first: number, end: number];

/** A range as first and last line, from 1; for an empty range its first line. */
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

/** The number of lines of a text. */
export function lineCount({ starts }: SourceLines): number {
  return starts.length - 1;
}

/** One line, from 0, without its terminator; "" beyond the end. */
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
 * The code on the lines from `first` to before `end`, byte for byte from the file, without the last line end. `parsed` is the
 * parser's copy, with LF as line ends and spaces for a tab at the end of the block's indentation; it only determines the
 * indentation of each line. Such a tab is kept whole.
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
    const parsedLine = parsed.slice(at, next < 0 ? parsed.length : next);
    at = next < 0 ? parsed.length : next + 1;
    const start = starts[line] ?? source.length;
    const stop = contentEnd(lines, line);
    code += source.slice(
      suffixStart(source.slice(start, stop), parsedLine) + start,
      line === end - 1 ? stop : starts[line + 1],
    );
  }
  return code;
}

/** The offset in a line of the file at which the parsed line begins. */
function suffixStart(raw: string, parsed: string): number {
  if (raw.endsWith(parsed)) return raw.length - parsed.length;
  for (let spaces = 1; spaces <= 3; spaces++) {
    const tab = raw.length - parsed.length + spaces - 1;
    if (raw[tab] === "\t" && raw.endsWith(parsed.slice(spaces))) return tab;
  }
  throw new Error(`The parser read ${JSON.stringify(parsed)} on the line ${JSON.stringify(raw)}.`);
}

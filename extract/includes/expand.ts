import { bodyLine } from "../markdown/front-matter.ts";
import { lineCount, lineAt, type Range, type SourceLines } from "../markdown/lines.ts";
import { mayInclude } from "./includable-files.ts";
import { createFinder, type IncludableFiles, type IncludedFile } from "./find-file.ts";
import { createBudget, type Chosen } from "./selection.ts";
import { createOrigins } from "./origins.ts";
import { maxDirectives, scan, type Directive, type Fence, type Include, type Scanned } from "./scan.ts";
import type { Lines } from "../blocks.ts";
import { languageOfFile } from "../language.ts";

/** The prefix of included lines. */
interface Indent {
  readonly first: string;
  readonly rest: string;
}

/** A text that is being written: the page, or an included file. */
interface Level {
  readonly path: string;
  readonly scanned: Scanned;
  /** The lines to write. */
  readonly ranges: readonly Range[];
  readonly indent: Indent;
  /** The including line of the page, from 0; null for the page itself. */
  readonly pageLine: number | null;
  /** The chain of including files, this one last. */
  readonly stack: readonly string[];
}

/** The place of an include. */
interface Spot {
  readonly level: Level;
  readonly indent: Indent;
  readonly pageLine: number;
  readonly apart: boolean;
}

/** Indices of a fence's marker lines in the output, and the required length of the markers. */
interface Markers {
  readonly open: number;
  close: number;
  length: number;
}

/**
 * Replaces the includes of a page by code in a fence, by the content of the fence around them, or by text with its own includes. Includes
 * that fail are dropped with a note. Returns the text with the origins of its lines and the notes; null for a page without includes.
 */
export function expand(path: string, source: string, files: IncludableFiles) {
  const page = scan(path, source);
  if (page === null) return null;
  const out: string[] = [];
  const origins = createOrigins(path);
  const notes: string[] = [];
  const choose = createBudget();
  const findFile = createFinder(files, notes);
  const fences = new Map<Fence, Markers>();

  const addGenerated = (text: string, pageLine: number): void => {
    out.push(`${text}\n`);
    origins.addMade(pageLine);
  };
  const addCopied = (text: string, from: string, line: number, pageLine: number): void => {
    out.push(text);
    origins.add(from, line, pageLine);
  };
  const copyLines = (file: IncludedFile, { ranges, dedent }: Chosen, indent: string, pageLine: number): void => {
    for (const [first, end] of ranges)
      for (let line = first; line < end; line++)
        addCopied(indent + dedented(withEnd(file.lines, line), dedent), file.path, line, pageLine);
  };

  const writeFence = (include: Include, file: IncludedFile, chosen: Chosen, { indent, pageLine }: Spot): void => {
    const marker = "`".repeat(longestRun(file.lines, chosen, "`", 2) + 1);
    addGenerated(`${indent.first}${marker}${infoOf(include, file.path, chosen)}`, pageLine);
    copyLines(file, chosen, indent.rest, pageLine);
    addGenerated(indent.rest + marker, pageLine);
  };

  const writeInFence = (fence: Fence, file: IncludedFile, chosen: Chosen, { level, pageLine }: Spot): void => {
    const markers = fences.get(fence);
    if (markers !== undefined)
      markers.length = Math.max(
        markers.length,
        longestRun(file.lines, chosen, fence.marker.charAt(0), fence.marker.length - 1) + 1,
      );
    copyLines(file, chosen, level.indent.rest + blanked(fence.prefix), pageLine);
  };

  const writeText = ({ path: from, lines }: IncludedFile, chosen: Chosen, { level, indent, pageLine }: Spot): void => {
    const scanned = scan(from, lines.source) ?? { lines, directives: [], body: bodyLine(lines), open: null };
    const ranges = chosen.ranges.map(([first, end]): Range => [Math.max(first, scanned.body), end]);
    writeLevel({ path: from, scanned, ranges, indent, pageLine, stack: [...level.stack, from] });
    const { open: left } = scanned;
    if (left !== null) addGenerated(indent.rest + blanked(left.prefix) + left.marker, pageLine);
  };

  const write = (include: Include, fence: Fence | null, spot: Spot): string | undefined => {
    const file = findFile(include.places, spot.level.stack);
    if (typeof file === "string") return file;
    const chosen = choose(file.lines, include.selection);
    if (typeof chosen === "string") return chosen;
    // Outside of code an SVG is a picture.
    if (fence === null && !include.asCode && /\.svg$/i.test(file.path)) return undefined;
    const { indent, pageLine, apart } = spot;
    if (apart) addGenerated(indent.rest.trimEnd(), pageLine);
    if (fence !== null) writeInFence(fence, file, chosen, spot);
    else if (include.asCode || !isText(file.path)) writeFence(include, file, chosen, spot);
    else writeText(file, chosen, spot);
    if (apart) addGenerated(indent.rest.trimEnd(), pageLine);
    return undefined;
  };

  const writeDirective = (directive: Directive, level: Level, start: string, pageLine: number): void => {
    const { fence, apart, lines, includes } = directive;
    const indent = indentOf(directive, level, start);
    let written = 0;
    let kept = false;
    for (const include of includes) {
      const problem = write(include, fence, { level, indent, pageLine, apart });
      if (problem === undefined) written += 1;
      // A sample of an include is kept as it is.
      else if (fence !== null && (isSample(fence) || include.isTemplate === true)) kept = true;
      else notes.push(`Line ${pageLine + 1} includes ${include.written.slice(0, 200)}, which ${problem}.`);
    }
    if (kept) {
      for (let line = lines[0]; line < lines[1]; line++)
        addCopied(level.indent.rest + withEnd(level.scanned.lines, line), level.path, line, level.pageLine ?? line);
    } else if (written === 0 && fence === null) addGenerated(indent.first.trimEnd(), pageLine);
  };

  const writeLevel = (level: Level): void => {
    const { path: from, scanned, ranges, indent } = level;
    let start = indent.first;
    let next = 0;
    let fence: Fence | null = null;
    for (const [first, end] of ranges) {
      for (let line = first; line < end; line++) {
        const pageLine = level.pageLine ?? line;
        while ((scanned.directives[next]?.lines[0] ?? Infinity) < line) next++;
        const directive = scanned.directives[next];
        if (directive?.lines[0] === line) {
          if (directive.fence !== null && directive.fence !== fence) {
            fence = directive.fence;
            // So far each line of the fence was written as one line.
            const at = out.length - (line - fence.line);
            if (fence.line >= first) fences.set(fence, { open: at, close: -1, length: fence.marker.length });
          }
          writeDirective(directive, level, start, pageLine);
          line = directive.lines[1] - 1;
        } else {
          const markers = fence?.close === line ? fences.get(fence) : undefined;
          if (markers !== undefined) markers.close = out.length;
          addCopied(start + withEnd(scanned.lines, line), from, line, pageLine);
        }
        start = indent.rest;
      }
    }
  };

  const ranges: readonly Range[] = [[0, lineCount(page.lines)]];
  writeLevel({ path, scanned: page, ranges, indent: { first: "", rest: "" }, pageLine: null, stack: [path] });
  for (const [{ marker }, { open: opening, close, length }] of fences)
    for (const at of length > marker.length ? [opening, close] : [])
      if (at >= 0) out[at] = out[at]?.replace(marker, marker.charAt(0).repeat(length)) ?? "";
  const cut =
    page.directives.length < maxDirectives ? [] : [`Includes after the first ${maxDirectives} are left as they are.`];
  return { text: out.join(""), origins, notes: [...shorten(notes), ...cut] };
}

/** Maximum number of notes on missing includes; one more counts the rest. */
const maxNotes = 20;

/** The first notes, and the number of others. */
export function shorten(notes: readonly string[]): readonly string[] {
  if (notes.length <= maxNotes) return notes;
  return [...notes.slice(0, maxNotes), `${notes.length - maxNotes} more includes are left out.`];
}

/** True for a file included as text; any other is shown as code. */
function isText(path: string): boolean {
  return mayInclude(path) || /\.html?$/i.test(path) || !/\.\w+$/.test(path);
}

function indentOf({ prefix, apart }: Directive, { path, indent }: Level, start: string): Indent {
  // Outside of MDX a deeply indented tag may be within HTML, and its content would become indented code.
  if (apart && /^[ \t]{4,}$/.test(prefix) && !path.endsWith(".mdx")) return { first: start, rest: indent.rest };
  return { first: start + prefix, rest: indent.rest + blanked(prefix) };
}

/** The prefix for continuation lines: quote markers stay, list markers become blanks. */
function blanked(prefix: string): string {
  return prefix.replace(/[^\t >]/g, " ");
}

function withEnd({ source, starts }: SourceLines, line: number): string {
  const text = source.slice(starts[line], starts[line + 1]);
  return /[\r\n]$/.test(text) ? text : `${text}\n`;
}

function dedented(line: string, count: number): string {
  let blanks = 0;
  // A blank line may be shorter than the indentation.
  while (blanks < count && (line[blanks] === " " || line[blanks] === "\t")) blanks++;
  return line.slice(blanks);
}

/** The info string of a fence that shows a file. */
function infoOf({ language, label, isTab, highlight }: Include, path: string, { ranges }: Chosen): string {
  const name = (language ?? languageOfFile(path)).replace(/[^\w+#.-]/g, "");
  const text = label?.replace(/["`\\\r\n]/g, "").trim() ?? "";
  const title = text === "" ? "" : isTab === true ? ` [${text}]` : ` title="${text}"`;
  const lines = highlight === undefined ? [] : highlight.ofFile ? shown(highlight.lines, ranges) : highlight.lines;
  const marks = lines.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
  return `${name}${title}${marks.length === 0 ? "" : ` {${marks.join(",")}}`}`;
}

/** Converts line numbers of a file to those of the excerpt. */
function shown(lines: readonly Lines[], ranges: Chosen["ranges"]): readonly Lines[] {
  let before = 0;
  return ranges.flatMap(([first, end]) => {
    const offset = before - first;
    before += end - first;
    return lines
      .map(([from, to]) => [Math.max(from, first + 1) + offset, Math.min(to, end) + offset] as const)
      .filter(([from, to]) => from <= to);
  });
}

/** The length of the longest run of `sign` that looks like a fence marker; at least `min`. */
function longestRun(lines: SourceLines, { ranges }: Chosen, sign: string, min: number): number {
  let longest = min;
  for (const [first, end] of ranges) {
    for (let line = first; line < end; line++) {
      const text = lineAt(lines, line);
      if (!text.includes(sign.repeat(longest + 1))) continue;
      const run = text.trimStart();
      let length = 0;
      while (run[length] === sign) length++;
      longest = Math.max(longest, length);
    }
  }
  return longest;
}

/** True for a fence with markup, in which an include may be a sample. */
function isSample({ info }: Fence): boolean {
  return /^[\s{.]*(?:md|mdx|markdown|text|txt|html|jinja2?|liquid|django|twig|go-html-template)\b/i.test(info);
}

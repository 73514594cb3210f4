import type { Lines } from "../blocks.ts";
import { taggedRanges } from "./tagged-regions.ts";
import { lineAt, lineCount, type Range, type SourceLines } from "../markdown/lines.ts";

/** Markers of parts of a file: those of VitePress and editors, mdBook, PyMdown. */
export type Marking = "region" | "anchor" | "section";

/** The lines of a file that an include selects; by default all. */
export interface Selection {
  /** The name of a marked part, or the heading of a section. */
  readonly name?: string;
  readonly marking?: Marking;
  /** Tags of regions in the syntax of AsciiDoc, such as `name`, `!name` or `*`. */
  readonly tags?: readonly string[];
  /** From 1, both included, relative to the named part if any; the last may be Infinity. */
  readonly lines?: readonly Lines[];
  /** Texts of the bounding lines: the first line with `from`, and the next one with `to`. */
  readonly from?: { readonly text: string; readonly included: boolean };
  readonly to?: { readonly text: string; readonly included: boolean };
  /** The name of a Python definition. */
  readonly object?: string;
  /** The path of keys to a part of YAML, including the lines of the keys. */
  readonly keys?: readonly string[];
  /** The parent of these keys, without its line. */
  readonly below?: string;
  /** Removes the common indentation. */
  readonly dedent?: boolean;
}

/** The selected lines, or the reason why none are selected, as the end of a sentence. */
type Selected = { readonly ranges: readonly Range[] } | { readonly problem: string };

/** Finds the lines of a file that an include selects. */
function select(lines: SourceLines, selection: Selection): Selected {
  const count = lineCount(lines);
  let whole: Range = [0, count];
  let dropped: ((line: number) => boolean) | undefined;
  if (selection.name !== undefined && selection.marking !== undefined) {
    const marker = markers[selection.marking];
    const marked = findParts(lines, selection.name, marker);
    // mdBook joins all parts with the same name.
    const parts = selection.marking === "anchor" ? marked : marked.slice(0, 1);
    const part: Range | undefined = parts[0] && [parts[0][0], parts.at(-1)?.[1] ?? 0];
    const section = part ?? findSection(lines, selection.name);
    if (section === undefined) {
      // Without the part, VitePress shows the whole file, the others nothing.
      if (selection.marking !== "region") return { problem: `has no part named ${selection.name}` };
    } else {
      whole = section;
      dropped = (line) => marker(lineAt(lines, line)) !== null || isBetween(parts, line);
    }
  } else if (selection.marking === "section") dropped = (line) => markers.section(lineAt(lines, line)) !== null;
  if (selection.object !== undefined) {
    const object = findObject(lines, selection.object);
    if (object === undefined) return { problem: `has no definition of ${selection.object}` };
    whole = object;
  }
  if (selection.keys !== undefined) {
    const { below, keys } = selection;
    const ranges = below === undefined ? findKeys(lines, keys) : findKeys(lines, [below, ...keys])?.slice(1);
    return ranges === undefined ? { problem: `has no ${keys.join(".")}` } : { ranges };
  }
  if (selection.tags !== undefined) {
    const ranges = taggedRanges(lines, selection.tags);
    return ranges.some((range) => hasText(lines, range))
      ? { ranges }
      : { problem: `has no text with the tag ${selection.tags.join(";")}` };
  }
  const bounded = between(lines, whole, selection);
  if (bounded === undefined) return { problem: "has not the text that the include begins or ends at" };
  const ranges = selection.lines === undefined ? [bounded] : pick(bounded, selection.lines);
  const kept = dropped === undefined ? ranges : ranges.flatMap((range) => without(range, dropped));
  return kept.some((range) => hasText(lines, range))
    ? { ranges: kept }
    : { problem: "has no text on the lines that are asked for" };
}

/** The common indentation of all non-blank lines, in characters. */
function indentation(lines: SourceLines, ranges: readonly Range[]): number {
  let common: string | undefined;
  for (const [first, end] of ranges) {
    for (let line = first; line < end; line++) {
      const text = lineAt(lines, line);
      if (text.trim() === "") continue;
      const own = /^[ \t]*/.exec(text)?.[0] ?? "";
      if (common === undefined) common = own;
      else while (!own.startsWith(common)) common = common.slice(0, -1);
      if (common === "") return 0;
    }
  }
  return common?.length ?? 0;
}

interface Mark {
  readonly name: string;
  readonly opens: boolean;
}

const isRegion =
  /^[ \t]*(?:\{?\/\*|\/\/|<!--|::|#|--|'|%|;)[ \t]*(?:#[ \t]*)?(?:pragma[ \t]+)?(end[ \t]?)?region\b[ \t]*([^\s*]*)/i;

/** Reads the marker on a line; null without. */
const markers: Readonly<Record<Marking, (text: string) => Mark | null>> = {
  region: (text) => {
    const [matched, end, name = ""] = (text.length < 300 && isRegion.exec(text)) || [];
    return matched === undefined ? null : { name: name.replace(/-->$|\*\/\}?$/, ""), opens: end === undefined };
  },
  anchor: (text) => {
    const [, end, name] = (text.length < 300 && /ANCHOR(_END)?:[ \t]*([\w-]+)/.exec(text)) || [];
    return name === undefined ? null : { name, opens: end === undefined };
  },
  section: (text) => {
    const [, end, name] =
      (text.length < 300 && /-8<-{1,9}[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([a-z][\w.-]*)[ \t]*\]/i.exec(text)) || [];
    return name === undefined ? null : { name, opens: end?.toLowerCase() === "start" };
  },
};

/** Whether a line is between two of the parts. */
function isBetween(parts: readonly Range[], line: number): boolean {
  return parts.length > 1 && !parts.some(([first, end]) => line >= first && line < end);
}

function findParts(lines: SourceLines, name: string, marker: (text: string) => Mark | null): Range[] {
  const count = lineCount(lines);
  const parts: Range[] = [];
  let first = -1;
  for (let line = 0; line < count; line++) {
    const mark = marker(lineAt(lines, line));
    if (mark === null) continue;
    if (first < 0 && mark.opens && mark.name === name) first = line + 1;
    // C# and others end a region without its name.
    else if (first >= 0 && !mark.opens && (mark.name === name || mark.name === "")) {
      parts.push([first, line]);
      first = -1;
    }
  }
  return first < 0 ? parts : [...parts, [first, count]];
}

/** The section under a Markdown heading, by its anchor. */
function findSection(lines: SourceLines, name: string): Range | undefined {
  const count = lineCount(lines);
  let first = -1;
  let level = 0;
  for (let line = 0; line < count; line++) {
    const [, signs, text = ""] = /^(#{1,6})[ \t]+(.{1,200})/.exec(lineAt(lines, line)) ?? [];
    if (signs === undefined) continue;
    if (first >= 0 && signs.length <= level) return [first, line];
    if (first < 0 && toAnchor(text) === name.toLowerCase()) [first, level] = [line, signs.length];
  }
  return first < 0 ? undefined : [first, count];
}

function toAnchor(heading: string): string {
  const given = /\{#([\w-]+)\}\s*$/.exec(heading)?.[1];
  const slug = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
  return given?.toLowerCase() ?? slug.trim().replace(/\s+/g, "-");
}

/** The lines of `class A`, `def f` or `A.f` in Python, with decorators. */
function findObject(lines: SourceLines, name: string): Range | undefined {
  let range: Range = [0, lineCount(lines)];
  for (const part of name.split(".", 5)) {
    let first = -1;
    let indent = "";
    let end = range[1];
    for (let line = range[0]; line < range[1]; line++) {
      const text = lineAt(lines, line);
      if (first < 0) {
        const [, blanks, defined] = /^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)/.exec(text) ?? [];
        if (defined !== part || blanks === undefined) continue;
        [first, indent] = [line, blanks];
        while (first > range[0] && /^[ \t]*@/.test(lineAt(lines, first - 1))) first--;
      } else if (text.trim() !== "" && !text.startsWith(`${indent} `) && !text.startsWith(`${indent}\t`)) {
        if (/^\s*[)\]}]/.test(text)) continue;
        end = line;
        break;
      }
    }
    if (first < 0) return undefined;
    while (end > first && lineAt(lines, end - 1).trim() === "") end--;
    range = [first, end];
  }
  return range;
}

/** The lines of nested YAML keys, and of the value of the last one. */
function findKeys(lines: SourceLines, keys: readonly string[]): readonly Range[] | undefined {
  const count = lineCount(lines);
  const ranges: Range[] = [];
  let indent = -1;
  let line = 0;
  const widthOf = (at: number): number => {
    const text = lineAt(lines, at);
    return /^[ ]*(?:#|$)/.test(text) ? Infinity : text.length - text.trimStart().length;
  };
  for (const key of keys) {
    let own: number | undefined;
    while (line < count) {
      const width = widthOf(line);
      if (width <= indent) return undefined;
      own ??= width === Infinity ? undefined : width;
      const [, name] = /^[ ]*["']?([\w.-]{1,80})["']?[ ]{0,5}:(?:[ ]|$)/.exec(lineAt(lines, line).slice(0, 200)) ?? [];
      if (width === own && name?.toLowerCase() === key.toLowerCase()) break;
      line++;
    }
    if (line >= count) return undefined;
    ranges.push([line, ++line]);
    indent = own ?? 0;
  }
  let end = line;
  // List items may be indented like their key.
  const isItem = (at: number): boolean => widthOf(at) === indent && lineAt(lines, at).trimStart().startsWith("- ");
  while (end < count && (widthOf(end) > indent || isItem(end))) end++;
  while (end > line && widthOf(end - 1) === Infinity) end--;
  const last = ranges.pop();
  return last === undefined ? undefined : [...ranges, [last[0], end]];
}

function between(lines: SourceLines, [first, end]: Range, { from, to }: Selection): Range | undefined {
  let start = first;
  if (from !== undefined) {
    while (start < end && !lineAt(lines, start).includes(from.text)) start++;
    if (start === end) return undefined;
    if (!from.included) start++;
  }
  let stop = end;
  if (to !== undefined) {
    stop = from?.included === true ? start + 1 : start;
    while (stop < end && !lineAt(lines, stop).includes(to.text)) stop++;
    if (stop === end) return undefined;
    if (to.included) stop++;
  }
  return [start, stop];
}

function pick([first, end]: Range, wanted: readonly Lines[]): Range[] {
  return wanted
    .map(([from, to]): Range => [Math.max(first, first + from - 1), Math.min(end, first + to)])
    .filter(([from, to]) => from < to);
}

function without([first, end]: Range, dropped: (line: number) => boolean): Range[] {
  const ranges: Range[] = [];
  let from = first;
  for (let line = first; line <= end; line++) {
    if (line < end && !dropped(line)) continue;
    if (line > from) ranges.push([from, line]);
    from = line + 1;
  }
  return ranges;
}

function hasText(lines: SourceLines, [first, end]: Range): boolean {
  return lines.source.slice(lines.starts[first], lines.starts[end]).trim() !== "";
}

/** Limits on the includes of a page. What exceeds them is left out with a note. */
export const includeLimits = {
  /** Files for one page, including nested ones. */
  files: 500,
  /** Depth of nested includes. */
  depth: 5,
  /** One file, in bytes. */
  fileBytes: 1_000_000,
  /** All files of a page, in bytes. */
  bytes: 8_000_000,
  /** Included lines of a page. */
  lines: 100_000,
  /** Included characters of a page. */
  characters: 4_000_000,
  /** Characters searched for selected parts, counted for each include. */
  searched: 32_000_000,
  /** Number of includes. */
  times: 1000,
} as const;

/** The lines of a file to include. */
export interface Chosen {
  readonly ranges: readonly Range[];
  /** Number of characters of indentation to remove from each line. */
  readonly dedent: number;
}

/** Selects lines of a file within the limits of the page. Returns the reason as the end of a sentence if none are selected. */
type Choose = (lines: SourceLines, selection: Selection) => Chosen | string;

/** Creates the selection for one page, which counts what was included. */
export function createBudget(): Choose {
  const used = { times: 0, lines: 0, characters: 0, searched: 0 };
  const tooMuch = "is more than a page may include";
  return (lines, selection) => {
    used.times += 1;
    used.searched += lines.source.length;
    if (used.times > includeLimits.times || used.searched > includeLimits.searched) return tooMuch;
    const selected = select(lines, selection);
    if ("problem" in selected) return selected.problem;
    const { ranges } = selected;
    for (const [first, end] of ranges) {
      used.lines += end - first;
      used.characters += (lines.starts[end] ?? 0) - (lines.starts[first] ?? 0);
    }
    if (used.lines > includeLimits.lines || used.characters > includeLimits.characters) return tooMuch;
    return { ranges, dedent: selection.dedent === true ? indentation(lines, ranges) : 0 };
  };
}

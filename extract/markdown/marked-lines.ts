/**
 * Lines of a block of code that its page marks: in the info string (Expressive Code, VitePress, Docusaurus, Nextra,
 * rehype-pretty-code, Mintlify, MkDocs, Hugo, Jekyll, Pandoc, MyST, Remix, Ember, Angular) or by comments in the code (Shiki,
 * Docusaurus, Gatsby, Code Hike, SvelteKit).
 */

import type { Lines } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { keysByWord } from "../language.ts";
import { joinList } from "../sentences.ts";

/** Kinds of marks, in the order of the sentences about them. */
const kinds = ["removed", "added", "highlighted", "in focus", "an error", "a warning", "collapsed"] as const;
type Kind = (typeof kinds)[number];

const names = keysByWord({
  removed: "del delete deleted deletions remove removed -- diff-remove diff-del",
  added: "ins insert inserted insertions add added additions ++ diff-add diff-ins",
  highlighted:
    "highlight highlights highlighted hl hl_lines mark marked mark_lines lines emphasize-lines highlightlines highlightedlines",
  "in focus": "focus focused",
  "an error": "error",
  "a warning": "warning",
  collapsed: "collapse collapsed",
} satisfies Record<Kind, string>);

interface Marks {
  readonly lines: Map<Kind, Lines[]>;
  /** Marked texts within lines. */
  readonly texts: Map<Kind, string[]>;
  /** Sentences with the names of marked lines. */
  readonly labels: string[];
  /** Number of the first line. */
  start: number;
}

/** A title. With several words, or folders and no extension, it is not the name of a tab or file. */
const titled =
  /(?:^|[\s{,])(?:title|caption|header|(?:data-)?filename|file)\s?[=:]\s?(?:"([^"]{1,120})"|'([^']{1,120})')/i;
/** Maximum number of ranges, or of texts, that one sentence names. */
const maxNamed = 20;
/** Maximum length of code that is searched for comments, in characters. */
const maxCodeLength = 200_000;

/** Sentences about the marked lines of a block. Lines are counted from 1, the first of the code. */
export function marksOf(info: string, code: string): readonly string[] {
  const marks: Marks = { lines: new Map(), texts: new Map(), labels: [], start: 1 };
  const words = info.slice(0, 1000);
  readInfo(words, code, marks);
  if (code.length <= maxCodeLength) readComments(code, marks);
  const title = titled.exec(words);
  const name = (title?.[1] ?? title?.[2] ?? "").trim();
  if (marks.lines.size + marks.texts.size === 0 && marks.start === 1 && name === "") return [];
  const count = code.split(/\r\n?|\n/).length;
  const sentences = kinds.flatMap((kind) => {
    const ranges = merged(marks.lines.get(kind) ?? [], count);
    const texts = [...new Set(marks.texts.get(kind))].map((text) => `\`${text}\``);
    return [
      ...(ranges.length === 0 ? [] : [sentenceOf(ranges, kind)]),
      ...(texts.length === 0
        ? []
        : [`${joinList(texts, maxNamed)} ${texts.length > 1 ? "are" : "is"} ${shown(kind)}.`]),
    ];
  });
  if (marks.start !== 1) sentences.push(`The page numbers the lines from ${marks.start}.`);
  if (/\s/.test(name) || (name.includes("/") && !isFileName(name))) sentences.push(`Its title is “${name}”.`);
  return [...sentences, ...marks.labels];
}

function sentenceOf(ranges: readonly Lines[], kind: Kind): string {
  const texts = ranges.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`));
  const isOne = ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
  return `${isOne ? "Line" : "Lines"} ${joinList(texts, maxNamed)} ${isOne ? "is" : "are"} ${shown(kind)}.`;
}

function shown(kind: Kind): string {
  return kind.startsWith("a ") || kind.startsWith("an ") ? `marked as ${kind}` : kind;
}

/** Sorts and merges ranges, and cuts them to the number of lines. */
function merged(ranges: readonly Lines[], count: number): Lines[] {
  const result: Lines[] = [];
  for (const [first, end] of ranges.toSorted(([one], [two]) => one - two)) {
    const last = Math.min(end, count);
    const before = result.at(-1);
    if (first < 1 || last < first) continue;
    if (before !== undefined && first <= before[1] + 1)
      result[result.length - 1] = [before[0], Math.max(before[1], last)];
    else result.push([first, last]);
  }
  return result;
}

function add<Value>(all: Map<Kind, Value[]>, kind: Kind, values: readonly Value[]): void {
  const known = all.get(kind);
  if (known !== undefined) known.push(...values);
  else if (values.length > 0) all.set(kind, [...values]);
}

/** The first line's number; a named option; lines or words in brackets, quotes or slashes. */
const part =
  /(?:showLineNumbers|line-?numbers|linenums|linenostart|startLineNumber|startFrom|lineno-start|startLine)(?:\{(?<from>\d{1,6})\}|\s?[=:]\s?["'{]?(?<number>\d{1,6}))|(?<name>[\w-]{1,30})["']?\s?[=:]\s?(?:\{(?<braces>[^{}]{0,200})\}|\[(?<brackets>[^[\]]{0,200})\]|"(?<double>[^"]{0,200})"|'(?<single>[^']{0,200})'|(?<bare>\d[\d,-]{0,60}))|\{(?<lines>(?:"[^"]{1,100}":)?[\d\s,-]{1,100})\}|\[\d{1,3}, {0,3}\d{1,6}, {0,3}"(?<step>[^"]{1,60})"|(?<=\s)"(?<text>[^"]{1,100})"(?!\s?:)|(?<=\s)\/(?<slashes>[^/\s][^/]{0,100})\/(?![\w/])/gi;

function readInfo(info: string, code: string, marks: Marks): void {
  if (!/[{["'/=]/.test(info)) return;
  for (const { groups = {} } of info.matchAll(part)) {
    const { from, number, name, braces, brackets, double, single, bare, lines, step, text, slashes } = groups;
    if (from !== undefined || number !== undefined) marks.start = Number(from ?? number);
    else if (name !== undefined) {
      const quoted = double ?? single;
      readNamed(name.toLowerCase(), quoted ?? braces ?? brackets ?? bare ?? "", quoted !== undefined, code, marks);
    } else if (lines !== undefined) readRanges("highlighted", lines, marks);
    else readText("highlighted", step ?? text ?? slashes ?? "", code, marks);
  }
}

function readNamed(name: string, value: string, isQuoted: boolean, code: string, marks: Marks): void {
  if (name === "data-diff") {
    for (const [, sign, first, last] of value.matchAll(/([+-])(\d{1,6})(?:-(\d{1,6}))?/g))
      add(marks.lines, sign === "+" ? "added" : "removed", [[Number(first), Number(last ?? first)]]);
    return;
  }
  const kind = names.get(name);
  // `lines="1-5"` selects the lines of a file to show.
  if (kind === undefined || (name === "lines" && isQuoted)) return;
  if (!readRanges(kind, value, marks) && isQuoted) readText(kind, value, code, marks);
}

function readText(kind: Kind, text: string, code: string, marks: Marks): void {
  const trimmed = text.trim();
  if (trimmed !== "" && !trimmed.includes("`") && code.includes(trimmed)) add(marks.texts, kind, [trimmed]);
}

const rangeList = /^(?:"([^"]{1,100})":)?([\d\s,"'-]{1,200})$/;

/** Reads `1, 3-5`, or `"Label": 1-3`; false for any other text. */
function readRanges(kind: Kind, text: string, marks: Marks): boolean {
  const [, label, list = ""] = rangeList.exec(text.trim()) ?? [];
  const ranges = [...list.matchAll(/(?<!\d)(\d{1,6})(?: ?- ?(\d{1,6}))?(?!\d)/g)].map(([, first, last]): Lines => [
    Number(first),
    Number(last ?? first),
  ]);
  add(marks.lines, kind, ranges);
  const [range] = ranges;
  if (label !== undefined && range !== undefined)
    marks.labels.push(`${range[0] === range[1] ? "Line" : "Lines"} ${list.trim().replace("-", "–")}: ${label.trim()}.`);
  return ranges.length > 0;
}

/** `// [!code ++:2]` of Shiki; `# highlight-next-line` of Docusaurus and Gatsby; `// !diff(1:2) +` of Code Hike. */
const comment =
  /(?:\/\/|#|--|;|%|\/\*|<!--)[ \t]{0,3}(?:\[!code[ \t]{1,3}(?<shiki>\+\+|--|\w{1,12})(?::(?<count>[^\]\s]{1,60}))?[ \t]{0,3}\]|(?<magic>[a-z]{2,12}(?:-(?:add|ins|remove|del))?)-(?<place>next-line|line|start|end)(?![\w-])|!(?<hike>mark|focus|diff)(?:\((?<first>\d{1,4})(?::(?<last>\d{1,4}))?\))?(?![\w([])(?:[ \t]{1,3}(?<sign>[+-]))?)/;

/** `// ---cut---` of Twoslash, which limits the visible code. */
const cut = /^\s*\/\/ ---cut(?:-\w{1,20})*---\s*$/;

function readComments(code: string, marks: Marks): void {
  if (!/\[!code|-line\b|-start\b|!(?:mark|focus|diff)\b|^\/\/\/ file:/.test(code)) return;
  const open = new Map<Kind, number>();
  const isSvelte = code.startsWith("/// file:");
  for (const [index, text] of code.split(/\r\n?|\n/).entries()) {
    const line = index + 1;
    if (text.length > 2000) continue;
    if (isSvelte && /\+\+\+.+\+\+\+/.test(text)) add(marks.lines, "added", [[line, line]]);
    if (isSvelte && /---.+---/.test(text) && !cut.test(text)) add(marks.lines, "removed", [[line, line]]);
    const match = comment.exec(text);
    if (match?.groups === undefined) continue;
    const { shiki, count = "1", magic, place, hike, first = "1", last = first, sign } = match.groups;
    const alone = /^[ \t{]*$/.test(text.slice(0, match.index));
    if (shiki === "word") readText("highlighted", count.replace(/:\d+$/, ""), code, marks);
    else if (shiki !== undefined) {
      const kind = names.get(shiki);
      const from = alone ? line + 1 : line;
      if (kind !== undefined) add(marks.lines, kind, [[from, from + (Number(count) || 1) - 1]]);
    } else if (hike !== undefined) {
      const kind =
        hike === "diff" ? (sign === "-" ? "removed" : "added") : hike === "mark" ? "highlighted" : "in focus";
      if (hike !== "diff" || sign !== undefined) add(marks.lines, kind, [[line + Number(first), line + Number(last)]]);
    } else {
      const kind = names.get(magic ?? "");
      if (kind === undefined) continue;
      if (place === "next-line") add(marks.lines, kind, [[line + 1, line + 1]]);
      else if (place === "line") add(marks.lines, kind, [[line, line]]);
      else if (place === "start") open.set(kind, line + 1);
      else {
        const start = open.get(kind);
        if (start !== undefined) add(marks.lines, kind, [[start, line - 1]]);
        open.delete(kind);
      }
    }
  }
}

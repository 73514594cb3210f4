import type { Env, StateBlock } from "markdown-it";
import { closesFence, readFenceLine } from "./fences.ts";
import { tagEnd } from "./tags.ts";

/**
 * Lines between the tags of components in Markdown that is not MDX. Whatever the generator, what stands there is written as in MDX:
 * fences stand directly below a tag and at any indentation, and indentation alone is no code.
 */
export interface ComponentLines {
  /** True between the line that opens a component and the one that closes it. */
  isInside(line: number): boolean;
  /** True for a line that ends a tag which began on another one. */
  endsTag(line: number): boolean;
  /** True for a fence, with an end, that begins inside of a component, or below a tag of one without a blank line between. */
  isFence(line: number): boolean;
  /** The first such fence behind a line; Infinity without. Lines have to be asked for from top to bottom. */
  nextFence(line: number): number;
}

const elements = new Set(
  (
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption center cite code col " +
    "colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head " +
    "header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee math menu meta meter nav noframes noscript object ol " +
    "optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small source span strike strong style sub " +
    "summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
  ).split(" "),
);
/** They hold text that is not parsed. */
const raw = /^<(pre|script|style|textarea)(?=[\s>])/i;

/** Whether a tag's name is one of a component, and none that HTML has, in capitals or not. */
export function isComponent(name: string): boolean {
  return !elements.has(name.toLowerCase()) || /^[A-Z][^]*[a-z]/.test(name);
}

/** True for a line whose first tag is that of a component with a capital, which no blank line has to end. */
export function startsComponent(line: string): boolean {
  const name = /^<\/?([A-Z][\w.]{0,60})(?=[\s/>]|$)/.exec(line)?.[1];
  return name !== undefined && isComponent(name) && !raw.test(line);
}

const isTagEnd = 1;
const isFenced = 2;
/** Unclosed tags that are kept in mind. */
const maxOpen = 60;
/** Maximum of unclosed tags; after it `<` is text, which keeps the cost linear. */
const maxUnfinished = 50;
const quick = /^[ \t]*<\/?[A-Za-z]/m;
const tag = /<(\/?)([A-Za-z][\w.:-]{0,60})(?=[\s/>]|$)/g;

const none: ComponentLines = {
  isInside: () => false,
  endsTag: () => false,
  isFence: () => false,
  nextFence: () => Infinity,
};

/** Finds these lines in a text with line feeds. */
function findComponentLines(source: string): ComponentLines {
  if (!quick.test(source)) return none;
  const lines = source.split("\n");
  const flags = new Uint8Array(lines.length);
  /** How many components open before a line, less those that close before it. */
  const changes = new Int32Array(lines.length + 1);
  const fences: { readonly line: number; readonly isBelow: boolean }[] = [];
  const open: { readonly name: string; readonly line: number }[] = [];
  let fenced: Fenced | undefined;
  /** What ends the text that is not parsed. */
  let rawEnd = "";
  let isBelow = false;
  let unfinished = 0;
  let tagUntil = 0;
  let start = 0;

  const readTags = (text: string, line: number): void => {
    for (const { index, 1: slash, 2: name = "" } of text.matchAll(tag)) {
      if (start + index < tagUntil || unfinished > maxUnfinished) continue;
      const end = tagEnd(source, start + index);
      if (end < 0) unfinished++;
      if (end <= 0) continue;
      tagUntil = end;
      if (!isComponent(name) || source.startsWith("/>", end - 2)) continue;
      if (slash !== "/") {
        if (open.length < maxOpen) open.push({ name, line });
        continue;
      }
      const at = open.findLastIndex((one) => one.name === name);
      const opening = open[at];
      if (opening === undefined) continue;
      open.length = at;
      changes[opening.line + 1] = (changes[opening.line + 1] ?? 0) + 1;
      changes[line + 1] = (changes[line + 1] ?? 0) - 1;
    }
  };

  for (const [line, text] of lines.entries()) {
    const words = text.trim();
    const isDeep = /^(?: {4}| {0,3}\t)/.test(text) && open.length === 0 && !isBelow;
    if (fenced !== undefined) {
      // A line that is indented by four more is code, such as the fence of a sample.
      if (closesFence(words, fenced.marker) && widthOf(text) < fenced.indent + 4) {
        fences.push(fenced);
        fenced = undefined;
      }
    } else if (rawEnd !== "") {
      if (text.toLowerCase().includes(rawEnd)) rawEnd = "";
    } else if (start < tagUntil) {
      if (tagUntil <= start + text.length) {
        flags[line] = isTagEnd;
        readTags(text, line);
      }
    } else if (words === "") isBelow = false;
    else if (!isDeep) {
      const marker = readFenceLine(words)?.marker;
      if (marker !== undefined) fenced = { marker, line, isBelow, indent: widthOf(text) };
      else if (words.startsWith("<")) {
        const element = words.startsWith("<!--") ? "--" : raw.exec(words)?.[1]?.toLowerCase();
        const end = element === "--" ? "-->" : `</${element ?? ""}`;
        if (element === undefined) {
          // In CommonMark other tags begin HTML, which has no fences before a blank line.
          isBelow ||= startsComponent(words);
          readTags(text, line);
        } else if (!words.toLowerCase().includes(end)) rawEnd = end;
      }
    }
    start += text.length + 1;
  }
  let depth = 0;
  const inside = changes.map((change) => (depth += change));
  const found = fences.filter(({ line, isBelow }) => isBelow || (inside[line] ?? 0) > 0).map(({ line }) => line);
  for (const line of found) flags[line] = isFenced;
  const ahead = found.toReversed();
  return {
    isInside: (line) => (inside[line] ?? 0) > 0,
    endsTag: (line) => flags[line] === isTagEnd,
    isFence: (line) => flags[line] === isFenced,
    nextFence(line) {
      while ((ahead.at(-1) ?? Infinity) <= line) ahead.pop();
      return ahead.at(-1) ?? Infinity;
    },
  };
}

interface Fenced {
  readonly marker: string;
  readonly line: number;
  readonly indent: number;
  readonly isBelow: boolean;
}

function widthOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** What the rules have found out about the text being parsed. */
interface ComponentEnv extends Env {
  componentLines?: ComponentLines;
}

/** The lines of the text being parsed. */
export function componentLinesOf(state: Pick<StateBlock, "env" | "src">): ComponentLines {
  const env: ComponentEnv = state.env;
  return (env.componentLines ??= findComponentLines(state.src));
}

import { closesFence, readFenceLine } from "./fences.ts";
import { tagEnd } from "./tags.ts";

const elements = new Set(
  (
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption center cite code col " +
    "colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head " +
    "header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee math menu meta meter nav noframes noscript object ol " +
    "optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small source span strike strong style sub " +
    "summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
  ).split(" "),
);
const blockElements =
  /^(?:address|article|aside|blockquote|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|menu|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/i;

/** True for the name of an element of HTML whose tags end a paragraph (CommonMark 0.31, 4.6, condition 6). */
export function endsParagraph(name: string): boolean {
  return blockElements.test(name);
}

/** Elements with text that is not parsed. */
const raw = /^<(pre|script|style|textarea)(?=[\s>])/i;

/** The end of the last such element that begins on a line of HTML, unless it ends there; "" without. */
function rawEndAfter(line: string): string {
  const last = [...line.matchAll(/(?<!`)<(pre|script|style|textarea)(?=[\s>])/gi)].at(-1);
  const end = `</${last?.[1]?.toLowerCase()}`;
  return last === undefined || line.toLowerCase().includes(end, last.index) ? "" : end;
}

/** Whether a tag's name is a component's, not an HTML element's in lower case or capitals. */
export function isComponent(name: string): boolean {
  return !elements.has(name.toLowerCase()) || /^[A-Z][^]*[a-z]/.test(name);
}

/** True for a line that begins with the tag of a capitalised component, which ends without a blank line. */
export function startsComponent(line: string): boolean {
  const name = /^<\/?([A-Z][\w.]{0,60})(?=[\s/>]|$)/.exec(line)?.[1];
  return name !== undefined && isComponent(name) && !raw.test(line);
}

const isTagEnd = 1;
const isFenced = 2;
/** Maximum number of open components. */
const maxOpen = 60;
const quick = /^[ \t]*<\/?[A-Za-z]/m;
const tag = /<(\/?)([A-Za-z][\w.:-]{0,60})(?=[\s/>]|$)/g;

/** First and last line of a closed component. */
type Pair = readonly [first: number, last: number];

/**
 * Finds the lines between the tags of components, in a text whose line ends are LF. With any generator these are written as in MDX, where all
 * lines count as such: fences may follow a tag directly and have any indentation, and indentation alone is not code.
 */
export function findComponentLines(source: string, isMdx: boolean) {
  const lines = isMdx || quick.test(source) ? source.split("\n") : [];
  const flags = new Uint8Array(lines.length);
  /** Number of components that open on the line before, minus those that close on it. */
  const changes = new Int32Array(lines.length + 1);
  const fences: Fence[] = [];
  const pairs: Pair[] = [];
  const coded = new Uint8Array(lines.length);
  const open: { readonly name: string; readonly line: number }[] = [];
  let openFence: Fence | undefined;
  /** The end of the open element whose text is not parsed; "" without. */
  let rawEnd = "";
  let isBelow = false;
  const unfinished = {};
  let tagUntil = 0;
  let start = 0;

  const readTags = (text: string, line: number): void => {
    for (const { index, 1: slash, 2: name = "" } of text.matchAll(tag)) {
      const end = start + index < tagUntil ? 0 : tagEnd(source, start + index, unfinished);
      if (end === 0) continue;
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
      if (line > opening.line) pairs.push([opening.line, line]);
      changes[opening.line + 1] = (changes[opening.line + 1] ?? 0) + 1;
      changes[line + 1] = (changes[line + 1] ?? 0) - 1;
    }
  };

  for (const [line, text] of lines.entries()) {
    const words = text.trim();
    const isDeep = !isMdx && /^(?: {4}| {0,3}\t)/.test(text) && open.length === 0 && !isBelow;
    if (openFence !== undefined) {
      coded[line] = 1;
      // A line that is indented by four more is code, such as the fence of a sample.
      if (closesFence(words, openFence.marker) && widthOf(text) < openFence.indent + 4) {
        fences.push(openFence);
        openFence = undefined;
      }
    } else if (rawEnd !== "") {
      if (text.toLowerCase().includes(rawEnd)) rawEnd = rawEndAfter(text);
    } else if (start < tagUntil) {
      if (tagUntil <= start + text.length) {
        flags[line] = isTagEnd;
        readTags(text, line);
      }
    } else if (words === "") isBelow = false;
    else if (!isDeep) {
      const marker = readFenceLine(words)?.marker;
      if (marker !== undefined) openFence = { marker, line, isBelow, indent: widthOf(text) };
      else if (words.startsWith("<")) {
        const isComment = words.startsWith("<!--");
        if (!isComment && !raw.test(words)) {
          // Other tags begin HTML, which has no fences before a blank line (CommonMark).
          isBelow ||= startsComponent(words);
          readTags(text, line);
        }
        rawEnd = isComment ? (words.includes("-->") ? "" : "-->") : rawEndAfter(words);
      }
    }
    start += text.length + 1;
  }
  let depth = 0;
  const inside = changes.map((change) => (depth += change));
  const fenceLines = fences
    .filter(({ line, isBelow }) => isMdx || isBelow || (inside[line] ?? 0) > 0)
    .map(({ line }) => line);
  for (const line of fenceLines) flags[line] = isFenced;
  const ahead = fenceLines.toReversed();
  return {
    /** The text without the indentation that these lines have in common. Lines keep their numbers. */
    aligned: pairs.length === 0 ? source : aligned(lines, pairs, (line) => coded[line] === 1),
    isMdx,
    /** True between the opening and the closing line of a component. */
    isInside: (line: number) => isMdx || (inside[line] ?? 0) > 0,
    /** True for the last line of a tag that began on an earlier line. */
    endsTag: (line: number) => flags[line] === isTagEnd,
    /** True for a closed fence inside a component, or below a component's tag without a blank line between. */
    isFence: (line: number) => flags[line] === isFenced,
    /** The first such fence after a line; Infinity without. Callers have to pass lines from top to bottom. */
    nextFence(line: number): number {
      while ((ahead.at(-1) ?? Infinity) <= line) ahead.pop();
      return ahead.at(-1) ?? Infinity;
    },
  };
}

interface Fence {
  readonly marker: string;
  readonly line: number;
  readonly indent: number;
  readonly isBelow: boolean;
}

function widthOf(text: string): number {
  return text.length - text.trimStart().length;
}

/**
 * The text without the indentation that the lines between the tags of components have in common, so that lists and fences in them are read as
 * such. Lines of code keep the indentation that they have beyond their fence.
 */
function aligned(lines: readonly string[], pairs: readonly Pair[], isCoded: (line: number) => boolean): string {
  const starting = Map.groupBy(pairs, ([first]) => first);
  const least = new Map<Pair, number>();
  const within = (visit: (line: number, pair: Pair) => void): void => {
    const open: Pair[] = [];
    for (let line = 0; line < lines.length; line++) {
      while (open.length > 0 && (open.at(-1)?.[1] ?? 0) <= line) open.pop();
      const pair = open.at(-1);
      if (pair !== undefined) visit(line, pair);
      for (const one of starting.get(line)?.toSorted(([, one], [, other]) => other - one) ?? []) open.push(one);
    }
  };
  within((line, pair) => {
    const text = lines[line] ?? "";
    if (!isCoded(line) && text.trim() !== "") least.set(pair, Math.min(least.get(pair) ?? Infinity, widthOf(text)));
  });
  const result = [...lines];
  within((line, pair) => {
    const text = lines[line] ?? "";
    const removed = Math.min((least.get(pair) ?? 0) - widthOf(result[pair[0]] ?? ""), widthOf(text));
    if (removed > 0) result[line] = text.slice(removed);
  });
  return result.join("\n");
}

import type { Token } from "markdown-it";
import { attributesOf } from "./fields.ts";
import { stripTags, tagEnd } from "./tags.ts";

/**
 * A piece of a paragraph or of HTML: text, the start or end of a component that opens a section, or the marker of a tab.
 * `from` and `to` are lines of the block, from 0, the last excluded.
 */
export type Part = (
  | { readonly type: "text" | "tab"; readonly source: string }
  | { readonly type: "open"; readonly source: string; readonly title: string }
  | { readonly type: "close" }
) & { readonly from: number; readonly to: number };

interface Marker {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly kind: "open" | "close" | "tab";
  readonly title: string;
  /** The section has both markers. */
  isPaired: boolean;
}

/** Code spans, components with a title and content, and markers of tabs. */
const markerPattern =
  /(?<!`)`+[^`\n]{1,500}`+|^[ \t]*<(?<open>Step|Accordion(?:\.?Item|Panel|Tab)?|Update|Details|details|Collapsible|Collapse|TabItem|Tabs?\.(?:Tab|Content|Panel)|Tab|TabPanel|TabsContent)(?=[\s>])|<\/(?<close>Step|Accordion(?:\.?Item|Panel|Tab)?|Update|Details|details|Collapsible|Collapse|TabItem|Tabs?\.(?:Tab|Content|Panel)|Tab|TabPanel|TabsContent|Tabs)>|(?<block>\{%-?[ \t]*(?:end)?tabs?\b[^%\n]{0,300}%\})|^[ \t]*(?<line>(?:@tab(?::\w+)?|==)[ \t]+\S[^\n]*|:{2,}[ \t]*(?:tab|tabs-item|tab-item)\b[^\n]*)/gm;
const quick =
  /<\/?(?:Step|Accordion|Update|[Dd]etails|Collaps|Tab)|\{%-?[ \t]*(?:end)?tab|@tab|(?:^|\n)[ \t]*(?:==[ \t]|:{2,}[ \t]*tab)/;
/** Maximum nesting of components. */
const maxDepth = 20;
/** Number of unfinished tags after which the rest of a page is text, which keeps the cost linear. */
const maxUnfinished = 100;

/** The pieces of paragraphs and HTML that have markers, by the index of their token. */
export function findParts(tokens: readonly Token[]): ReadonlyMap<number, readonly Part[]> {
  const marked: { readonly index: number; readonly source: string; readonly markers: readonly Marker[] }[] = [];
  const open: Marker[] = [];
  let unfinished = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.level > 0 || (token.type !== "paragraph_open" && token.type !== "html_block")) continue;
    const source = token.type === "html_block" ? token.content : (tokens[index + 1]?.content ?? "");
    if (unfinished > maxUnfinished || !quick.test(source)) continue;
    const { markers, ...counted } = findMarkers(source);
    unfinished += counted.unfinished;
    for (const one of markers) {
      if (one.kind === "open" && open.length < maxDepth) open.push(one);
      else if (one.kind === "close") {
        const at = open.findLastIndex(({ name }) => name === one.name);
        const opening = open[at];
        if (opening === undefined) continue;
        open.length = at;
        opening.isPaired = true;
        one.isPaired = true;
      }
    }
    if (markers.length > 0) marked.push({ index, source, markers });
  }
  // All markers are paired before the first text is cut.
  return new Map(marked.map(({ index, source, markers }) => [index, cut(source, markers)]));
}

function findMarkers(source: string): { readonly markers: Marker[]; readonly unfinished: number } {
  const markers: Marker[] = [];
  const add = (kind: Marker["kind"], name: string, at: number, end: number, title = ""): void => {
    markers.push({ at, end, name, kind, title, isPaired: kind === "tab" });
  };
  let unfinished = 0;
  let kept = 0;
  for (const { index, 0: whole, groups = {} } of source.matchAll(markerPattern)) {
    const { open, close, line = groups["block"] } = groups;
    if (index < kept || unfinished > maxUnfinished) continue;
    const at = index + (whole.length - whole.trimStart().length);
    const last = index + whole.length;
    if (line !== undefined) add("tab", "", at, last);
    else if (close !== undefined) add(close.startsWith("Tab") ? "tab" : "close", close, at, last);
    else if (open !== undefined) {
      const end = tagEnd(source, at);
      if (end <= 0) {
        unfinished++;
        continue;
      }
      const tag = source.slice(at, end);
      if (open.startsWith("Tab")) add("tab", open, at, end);
      else if (!tag.endsWith("/>")) {
        const summary = /^\s{0,20}<summary\b[^>\n]{0,200}>([^]{1,300}?)<\/summary>/.exec(source.slice(end, end + 600));
        const title = summary === null ? titleOf(open, tag) : stripTags(summary[1] ?? "");
        const titleEnd = end + (summary?.[0].length ?? 0);
        if (title.trim() !== "") add("open", open, at, titleEnd, title.replace(/\s+/g, " ").trim());
        kept = titleEnd;
      }
      kept = Math.max(kept, end);
    }
  }
  return { markers, unfinished };
}

function titleOf(name: string, tag: string): string {
  const { title, header, heading, summary, label, description } = attributesOf(tag);
  if (name === "Update") return [label, description].filter((part) => part !== undefined && part !== "").join(": ");
  return title ?? header ?? heading ?? summary ?? label ?? "";
}

function cut(source: string, markers: readonly Marker[]): Part[] {
  const parts: Part[] = [];
  let kept = 0;
  let line = 0;
  const linesTo = (end: number): { readonly from: number; readonly to: number } => {
    const from = line;
    for (let at = source.indexOf("\n", kept); at >= 0 && at < end; at = source.indexOf("\n", at + 1)) line++;
    kept = end;
    return { from, to: line + 1 };
  };
  const text = (end: number): void => {
    const start = kept;
    const blank = source.slice(start, end).trim() === "";
    const first = start + (/^[ \t]*\n/.exec(source.slice(start, end))?.[0].length ?? 0);
    if (!blank) linesTo(first);
    const lines = linesTo(end);
    if (!blank) parts.push({ type: "text", source: source.slice(first, end), ...lines });
  };
  for (const { at, end, kind, title, isPaired } of markers) {
    if (!isPaired) continue;
    text(at);
    const tag = source.slice(at, end);
    const lines = linesTo(end);
    if (kind === "open") parts.push({ type: "open", source: tag, title, ...lines });
    else parts.push(kind === "tab" ? { type: "tab", source: tag, ...lines } : { type: "close", ...lines });
  }
  text(source.length);
  return parts;
}

/** Removes the indentation of MDX, which is meaningful only within lists. */
export function dedent(source: string): string {
  if (!/^[ \t]/m.test(source)) return source;
  const lines = source.split("\n");
  const isItem = (line: string): boolean => /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]/.test(line);
  const indent = lines
    .filter(isItem)
    .reduce((least, line) => Math.min(least, line.length - line.trimStart().length), Infinity);
  return lines.map((line) => (isItem(line) ? line.slice(indent) : line.trimStart())).join("\n");
}

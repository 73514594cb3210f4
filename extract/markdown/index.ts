import type { Block, Document } from "../blocks.ts";
import { toBlocks } from "./blocks.ts";
import { parseFrontMatter } from "./front-matter.ts";
import type { FrontMatter } from "./front-matter.ts";
import { lineAt, splitLines } from "./lines.ts";
import type { SourceLines } from "./lines.ts";
import { parseMarkdown } from "./parser.ts";
import type { Dialect } from "./parser.ts";
import { readShortcodes } from "./shortcodes.ts";
import { readTemplates } from "./templates.ts";
import type { ValueOf } from "./variables.ts";
import { calloutLabel, isCallout } from "./callouts.ts";
import { closesFence } from "./fences.ts";
import { isTag } from "domhandler";
import { parseDocument } from "htmlparser2";
import type { Token } from "markdown-it";
import { isHidden } from "../html/hidden.ts";
import { isComponent } from "./component-lines.ts";
import { codeSpanEnd, tagEnd } from "./tags.ts";

/** A tag, with the end of its element, and how much code stands before it. */
interface Tag {
  readonly at: number;
  readonly end: number;
  readonly codes: number;
  readonly paragraphEnd: number;
  closing: Tag | undefined;
}

/** A tag that may hide its element, and what begins one. */
const hiding = /<[A-Z][^<]*[\s"'](?:hidden|popover|style|class(?:Name)?)(?=[\s"'=/>])/i;
const special = /[`\\]|<(?:!--|\/?[A-Za-z][\w-]{0,20}(?=[\s/>]))/g;
const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/**
 * Markdown without the HTML that its own attributes hide, with all its lines. `tokens` are those of the text. What holds code, and what the
 * page names by its id, stays: a tab or a switch shows it. An element without an end ends with its paragraph.
 */
function withoutHidden(source: string, tokens: readonly Token[]): string {
  if (!hiding.test(source)) return source;
  let names: ReadonlySet<string> | undefined;
  let shown = "";
  let kept = 0;
  for (const { at, end, codes, closing, paragraphEnd } of tagsIn(splitLines(source), tokens)) {
    if (at < kept) continue;
    const tag = source.slice(at, end);
    if (!hiding.test(tag) || (closing !== undefined && closing.codes > codes)) continue;
    const element = elementOf(tag);
    if (element === undefined || !isHidden(element)) continue;
    const { id } = element.attribs;
    if (id !== undefined && (names ??= namesIn(source)).has(id)) continue;
    shown += source.slice(kept, at);
    kept = closing?.end ?? paragraphEnd;
    shown += source.slice(at, kept).replace(/[^\r\n]+/g, "");
  }
  return shown + source.slice(kept);
}

/** The tags that open elements of HTML, outside of code and comments. */
function tagsIn({ source, starts }: SourceLines, tokens: readonly Token[]): Tag[] {
  const tags: Tag[] = [];
  const open = new Map<string, Tag[]>();
  let codes = 0;
  for (const { type, map } of tokens) {
    if (type === "fence" || type === "code_block" || type === "held_code") codes++;
    if (map === null || (type !== "inline" && type !== "html_block" && type !== "tr_open")) continue;
    const paragraphEnd = starts[map[1]] ?? source.length;
    special.lastIndex = starts[map[0]] ?? source.length;
    for (let found = special.exec(source); found !== null && found.index < paragraphEnd; found = special.exec(source)) {
      const { index: at, 0: mark } = found;
      const isText = type !== "html_block";
      if (mark === "`") special.lastIndex = isText ? codeSpanEnd(source, at) : at + 1;
      else if (mark === "\\") special.lastIndex = isText ? at + 2 : at + 1;
      else if (mark === "<!--") special.lastIndex = behind(source, "-->", at, paragraphEnd);
      else {
        const end = tagEnd(source, at);
        if (end <= 0 || end > paragraphEnd) continue;
        special.lastIndex = end;
        const name = mark.replace(/^<\/?/, "");
        if (isComponent(name)) continue;
        const key = name.toLowerCase();
        const tag: Tag = { at, end, codes, paragraphEnd, closing: undefined };
        if (mark.startsWith("</")) {
          const opening = open.get(key)?.pop();
          if (opening !== undefined) opening.closing = tag;
          continue;
        }
        if (empty.has(key) || source[end - 2] === "/") continue;
        tags.push(tag);
        const others = open.get(key);
        if (others === undefined) open.set(key, [tag]);
        else others.push(tag);
      }
    }
  }
  return tags;
}

function behind(source: string, mark: string, at: number, end: number): number {
  const found = source.slice(at, end).indexOf(mark);
  return found < 0 ? end : at + found + mark.length;
}

/** The element that a tag of HTML or JSX opens. */
function elementOf(tag: string) {
  const html = tag.includes("{") ? tag.replace(expression, toAttribute) : tag;
  return parseDocument(html.replace(/\bclassName\b/, "class")).children.find(isTag);
}

const expression = /([\w-]{1,40})=\{((?:[^{}]|\{[^{}]{0,500}\}){0,500})\}/g;

/** An attribute of JSX as one of HTML; "" where it depends on more than the page says. */
function toAttribute(_: string, name: string, value: string): string {
  const said = value.trim();
  if (said === "true") return name;
  const literal = /^(["'`])([^"]*)\1$/.exec(said)?.[2];
  if (literal !== undefined) return `${name}="${literal}"`;
  if (name !== "style" || !said.startsWith("{")) return "";
  const declarations = said
    .slice(1, -1)
    .replace(/["'`]/g, "")
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll(",", ";");
  return `style="${declarations}"`;
}

/** What a page names otherwise than as the id of an element, such as in the address of a link. */
function namesIn(source: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, before = "", name = ""] of source.matchAll(/(\bid\s?=\s?["']|["'#])([\w-]{1,100})(?=["'\s)>?&])/g))
    if (!before.startsWith("id")) names.add(name);
  return names;
}

/** Why a text was not taken as a document. */
export interface Refused {
  readonly code: "draft" | "too_large";
  readonly reason: string;
}

/**
 * Reads Markdown (CommonMark 0.31 with tables, front matter and admonitions) or MDX into blocks. `siteValueOf` has what names in double braces
 * stand for that the page itself says nothing of.
 */
export function readMarkdown(
  written: string,
  dialect: Dialect,
  siteValueOf: ValueOf = () => undefined,
): Document | Refused {
  const own = parseFrontMatter(written);
  const loops = loopsIn(written);
  const matter = {
    ...own,
    valueOf: (name: string, isBraced = false) =>
      own.valueOf(name) ?? (isBraced ? (loops.has(name.split(".", 1)[0] ?? "") ? "" : siteValueOf(name)) : undefined),
  };
  if (matter.hidden) return { code: "draft", reason: "The page's front matter marks it as a draft or as unlisted." };
  const text = written.slice(matter.end);
  const directed = readDirectives(text);
  const read = readBody(written, matter, directed, dialect);
  // Fences that were taken for directives, but are the parser's code: that stays as it is.
  if (directed === text || "code" in read || isIntact(read.blocks, written, written.slice(0, matter.end) + directed))
    return read;
  return readBody(written, matter, text, dialect);
}

/** Names of what loops of Liquid and Jinja go through, which stand for nothing by themselves. */
function loopsIn(source: string): ReadonlySet<string> {
  if (!source.includes("{%")) return new Set();
  return new Set(
    [...source.matchAll(/\{%-?[ \t]{0,5}(?:for|tablerow)[ \t]{1,5}(\w{1,40})[ \t]/g)].map(([, name = ""]) => name),
  );
}

function readBody(written: string, matter: FrontMatter, text: string, dialect: Dialect): Document | Refused {
  const body = readShortcodes(readTemplates(text), matter.valueOf);
  const lines = splitLines(written.slice(0, matter.end) + body);
  const parsed = parseMarkdown(body, lines.starts.length, dialect);
  if (parsed === null)
    return { code: "too_large", reason: "The page has more blocks, or deeper nested ones, than are parsed." };
  const shown = withoutHidden(body, parsed.tokens);
  if (shown !== body) return readBody(written, matter, shown, dialect);
  const offset = lines.starts.indexOf(matter.end);
  return {
    ...toBlocks(parsed, { lines, offset, mdx: dialect === "mdx", valueOf: matter.valueOf }),
    title: matter.title,
    description: matter.description,
  };
}

/** Whether no line of the code differs between two texts of as many lines. */
function isIntact(blocks: readonly Block[], written: string, changed: string): boolean {
  const [one, other] = [splitLines(written), splitLines(changed)];
  return blocks.every((block) => {
    if (block.type !== "code") return true;
    for (let line = block.lines[0] - 1; line < block.lines[1]; line++)
      if (lineAt(one, line) !== lineAt(other, line)) return false;
    return true;
  });
}

/**
 * Directives of MyST (myst-parser, "Roles and directives"), which are written as fences: those that hold prose are read as what they hold, with a
 * label in place of the marker line, so that code in them is code and their words are words. So are callouts that are written as fences without
 * braces, as by mdbook-admonish and by Obsidian's Admonition.
 */

/** A fence, and what opens a directive behind it. */
const opening = /^([ \t]*)(`{3,}(?!`)|~{3,}(?!~)|:{3,}(?!:))(.*)$/;
const directive = /^\{([\w:-]{1,40})\}/;
const callout = /^(?:admonish(?:[ \t]{1,5}([a-z]{1,20})(?=[ \t]|$))?|ad-([a-z]{1,20})(?=[ \t]|$))([^`]*)$/;
const option = /^[ \t]*:[\w-]{1,40}:(?:[ \t].*)?$/;

const callouts = /^(?:note|tip|hint|important|warning|caution|attention|danger|error|seealso|admonition)$/;
/** Their argument is a title. */
const titled = /^(?:tab-item|tab|dropdown|card|grid-item-card|details|topic|sidebar)$/;
const versions: Readonly<Record<string, string>> = {
  versionadded: "New in",
  versionchanged: "Changed in",
  deprecated: "Deprecated since",
};
const plain = /^(?:tab-set|tabs|grid|grid-item|container|div|margin|epigraph|panels|figure|only)$/;
const codes =
  /^(?:code|code-block|code-cell|sourcecode|literalinclude|include|parsed-literal|math|mermaid|graphviz|plantuml|eval-rst|tikz)$/;
/** They hold what generators read. */
const dropped = /^(?:toctree|contents|tableofcontents|index|image|raw|sectionauthor|currentmodule|bibliography)$/;

interface Open {
  readonly marker: string;
  /** Code keeps all of its lines, and markers in it mean nothing. */
  readonly holds: "code" | "prose" | "nothing";
}

/** The text with as many lines, and with Markdown in place of directives; the same text where there are none. */
function readDirectives(source: string): string {
  if (!/^[ \t]*(?:(?:`{3,}|~{3,}|:{3,})\{[\w:-]|(?:`{3,}|~{3,})[ \t]{0,5}a(?:d-|dmonish))/m.test(source)) return source;
  const stack: Open[] = [];
  let inOptions = false;
  const read = (line: string): string => {
    const open = stack.at(-1);
    if (open !== undefined && closesFence(line.trim(), open.marker)) {
      stack.pop();
      inOptions = false;
      return open.holds === "code" ? line : "";
    }
    if (open?.holds === "code") return line;
    if (open?.holds === "nothing") return "";
    if (inOptions && option.test(line)) return "";
    inOptions = false;
    const [, indent = "", marker = "", info = ""] = opening.exec(line) ?? [];
    const [written = "", name] = directive.exec(info) ?? [];
    if (marker === "" || info.includes("`") || (name === undefined && marker.startsWith(":"))) return line;
    const label =
      name === undefined
        ? fencedCallout(info.trim())
        : labelOf(name, info.slice(written.length).trim(), marker.startsWith(":"));
    stack.push({ marker, holds: label === undefined ? "code" : dropped.test(name ?? "") ? "nothing" : "prose" });
    if (label === undefined) return line;
    inOptions = true;
    return label === "" ? "" : indent + label;
  };
  // Each line keeps its own end, and with it its number.
  return source.replace(/[^\r\n]+/g, read);
}

/** The label of a callout behind a fence; undefined for anything else. */
function fencedCallout(info: string): string | undefined {
  const [whole, kind, other, rest = ""] = callout.exec(info) ?? [];
  if (whole === undefined) return undefined;
  const type = kind ?? other ?? "note";
  const title = /"([^"\n]{0,200})"/.exec(rest.replace(/\b(?:id|class)="[^"]*"/g, ""))?.[1] ?? "";
  return calloutLabel(isCallout(type) ? type : "note", title);
}

/** What stands in place of the marker line; undefined for directives that are read as code. */
function labelOf(name: string, argument: string, hasColons: boolean): string | undefined {
  if (callouts.test(name)) return calloutLabel(name === "admonition" ? "note" : name, argument);
  if (titled.test(name)) return argument === "" ? "" : `**${argument.replaceAll("*", "")}**`;
  const version = versions[name];
  if (version !== undefined) return `**${version} ${argument}:**`;
  if (plain.test(name) || dropped.test(name)) return "";
  if (!hasColons || codes.test(name)) return undefined;
  // Colons hold prose, whatever a project calls its directives; a path is no title.
  return /^[^/[\]<>{}]{1,100}$/.test(argument) && /\p{L}/u.test(argument) && !/\.\w{1,5}$/.test(argument)
    ? `**${argument.replaceAll("*", "")}**`
    : "";
}

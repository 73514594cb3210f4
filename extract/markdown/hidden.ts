import { splitLines, type SourceLines } from "./lines.ts";
import { isTag } from "domhandler";
import { parseDocument } from "htmlparser2";
import type { Token } from "markdown-it";
import { isHidden } from "../html/hidden.ts";
import { isComponent } from "./component-lines.ts";
import { codeSpanEnd, tagEnd } from "./tags.ts";

interface Tag {
  readonly at: number;
  readonly end: number;
  /** Number of code blocks before it. */
  readonly codes: number;
  readonly paragraphEnd: number;
  closing: Tag | undefined;
}

/** A tag that may hide its element. */
const hiding = /<[A-Z][^<]*[\s"'](?:hidden|popover|style|class(?:Name)?)(?=[\s"'=/>])/i;

const special = /[`\\]|<(?:!--|\/?[A-Za-z][\w-]{0,20}(?=[\s/>]))/g;

const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/**
 * Blanks out the HTML elements that their own attributes hide; line numbers stay the same. `tokens` are those of the text. Elements
 * with code, or with an id that the page refers to, stay, as a tab or switch shows them. An unclosed element ends with its paragraph.
 */
export function withoutHidden(source: string, tokens: readonly Token[]): string {
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
    for (let match = special.exec(source); match !== null && match.index < paragraphEnd; match = special.exec(source)) {
      const { index: at, 0: mark } = match;
      const isText = type !== "html_block";
      if (mark === "`") special.lastIndex = isText ? codeSpanEnd(source, at) : at + 1;
      else if (mark === "\\") special.lastIndex = isText ? at + 2 : at + 1;
      else if (mark === "<!--") special.lastIndex = endAfter(source, "-->", at, paragraphEnd);
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

/** The offset after the first mark in a range; the end of the range without one. */
function endAfter(source: string, mark: string, at: number, end: number): number {
  const index = source.slice(at, end).indexOf(mark);
  return index < 0 ? end : at + index + mark.length;
}

/** The element of an opening tag of HTML or JSX. */
function elementOf(tag: string) {
  const html = tag.includes("{") ? tag.replace(expression, toAttribute) : tag;
  return parseDocument(html.replace(/\bclassName\b/, "class")).children.find(isTag);
}

const expression = /([\w-]{1,40})=\{((?:[^{}]|\{[^{}]{0,500}\}){0,500})\}/g;

/** An attribute of JSX as HTML; "" for a value that the page does not determine. */
function toAttribute(_: string, name: string, value: string): string {
  const code = value.trim();
  if (code === "true") return name;
  const literal = /^(["'`])([^"]*)\1$/.exec(code)?.[2];
  if (literal !== undefined) return `${name}="${literal}"`;
  if (name !== "style" || !code.startsWith("{")) return "";
  const declarations = code
    .slice(1, -1)
    .replace(/["'`]/g, "")
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll(",", ";");
  return `style="${declarations}"`;
}

/** Names on a page other than ids of elements, such as fragments in links. */
function namesIn(source: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, before = "", name = ""] of source.matchAll(/(\bid\s?=\s?["']|["'#])([\w-]{1,100})(?=["'\s)>?&])/g))
    if (!before.startsWith("id")) names.add(name);
  return names;
}

import { splitLines } from "./lines.ts";
import type { SourceLines } from "./lines.ts";
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

import { isTag, isText, type ChildNode, type Element, type ParentNode } from "domhandler";
import { codeSpan, linkAddress } from "./markdown.ts";
import { textOf } from "./tree.ts";
import { keysByWord } from "../language.ts";

/** Resolves the links and footnotes of a page. */
export interface Inline {
  /** The address to serve for a link; "" if it leads nowhere. */
  address(href: string): string;
  /** The label of the footnote that a link leads to; undefined for any other link. */
  note(link: Element): string | undefined;
}

/** Maximum length of an address, in characters. Of a longer link only the text is kept. */
const maxAddress = 300;

/** Inline elements. */
const phrasing = new Set(
  "a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd label mark math q ruby rt s samp small span strike strong sub sup time tt u var wbr input slot nobr output meter progress".split(
    " ",
  ),
);

/** True for text and inline elements, unless they contain a block according to `hasBlock`. */
export function isInline(node: ChildNode, hasBlock: (element: Element) => boolean): boolean {
  if (isText(node)) return true;
  if (!isTag(node)) return false;
  return (phrasing.has(node.name) || mathPart.test(node.name)) && !hasBlock(node);
}

const mathPart =
  /^m(?:i|n|o|row|sub|sup|frac|text|over|under|table|td|tr|sqrt|root|style|space|padded|fenced|underover|subsup)$|^semantics$/;

/** The marks of Markdown for emphasis and struck-through text. */
const signs: ReadonlyMap<string, string> = keysByWord({ "**": "strong b", "*": "em i", "~~": "del s strike" });
const codes = new Set(["code", "kbd", "samp", "tt"]);

/** The nodes of one paragraph as trimmed Markdown. */
export function inlineMarkdown(nodes: readonly ChildNode[], inline: Inline): string {
  return tidy(nodes.map((node) => written(node, inline)).join(""));
}

/** The text of nodes without any markup, on one line. */
export function plainText(node: ParentNode | readonly ChildNode[]): string {
  const nodes = "children" in node ? node.children : node;
  return nodes
    .map((child) => textOf(child))
    .join("")
    .replace(/[\s\u200B\u2060\uFEFF]+/g, " ")
    .trim();
}

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

function written(node: ChildNode, inline: Inline): string {
  if (isText(node)) return node.data.replace(/[\s\u200B\u2060\uFEFF]+/g, " ");
  if (!isTag(node)) return "";
  const { name } = node;
  if (name === "br") return "\n";
  if (name === "wbr") return "";
  if (name === "input") return node.attribs["checked"] === undefined ? "[ ] " : "[x] ";
  if (codes.has(name)) {
    const text = plainText(node);
    return text === "" ? "" : codeSpan(text);
  }
  if (name === "a") return asLink(node, inline);
  const inner = node.children.map((child) => written(child, inline)).join("");
  if (name === "q") return `“${inner}”`;
  const sign = signs.get(name);
  return sign === undefined ? inner : wrapped(inner, sign);
}

/** Puts marks around the words, not around blanks; text that is marked already stays as it is. */
function wrapped(inner: string, sign: string): string {
  const words = inner.trim();
  if (
    words === "" ||
    words.includes("\n") ||
    words.startsWith("**") ||
    words.endsWith("**") ||
    (sign === "*" && words.includes("*"))
  )
    return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}${sign}${words}${sign}${inner.slice(start + words.length)}`;
}

function asLink(link: Element, inline: Inline): string {
  const note = inline.note(link);
  if (note !== undefined) return `[^${note}]`;
  const inner = link.children.map((child) => written(child, inline)).join("");
  const text = tidy(inner).replaceAll("\n", " ");
  if (text === "") return inner;
  const href = (link.attribs["href"] ?? "").trim();
  const address = href === "" ? "" : inline.address(href);
  if (address === "" || address.length > maxAddress || /[[\]]/.test(text.replace(/`[^`]*`/g, ""))) return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}[${text}](${linkAddress(address)})${/\s$/.test(inner) ? " " : ""}`;
}

/** Tests of what an element contains, at any depth. */
export type Contained = ReturnType<typeof findContained>;

const [isCode, isHeading, isBlock] = [1, 2, 4];

/** Searches the content once, as a list or table would be searched again for each of its ancestors. */
export function findContained(main: readonly ParentNode[], isSignature: (element: Element) => boolean) {
  const marks = new Map<Element, number>();
  const visit = (node: ParentNode): number => {
    let inside = 0;
    for (const child of node.children) {
      if (isText(child) || !isTag(child)) continue;
      const deeper = visit(child);
      marks.set(child, deeper);
      inside |= deeper;
      if (child.name === "pre") inside |= isCode | isBlock;
      else if (/^h[1-6]$/.test(child.name) || isSignature(child)) inside |= isHeading | isBlock;
      else if (!isInline(child, () => false)) inside |= isBlock;
    }
    return inside;
  };
  for (const node of main) {
    const inside = visit(node);
    if (isTag(node)) marks.set(node, inside);
  }
  const has = (element: Element, mark: number): boolean => ((marks.get(element) ?? 0) & mark) !== 0;
  return {
    code: (element: Element) => has(element, isCode),
    heading: (element: Element) => has(element, isHeading),
    /** Anything that is not inline. */
    block: (element: Element) => has(element, isBlock),
  };
}

import { isTag, isText, type ChildNode, type Element, type ParentNode } from "domhandler";
import { keysByWord } from "../language.ts";
import { WrittenText } from "../tree/elements.ts";
import type { Inline, Marked } from "../tree/nodes.ts";
import { collapsed } from "../tree/write-inline.ts";
import { inlineComponent } from "./components.ts";
import { splitFormulas } from "./math.ts";
import { textOf } from "./tree.ts";

/** What a page says about its text beside the elements. */
export interface InlineReading {
  /** The address to serve for a link; "" if it leads nowhere. */
  address(href: string): string;
  /** The label of the footnote that a link leads to; undefined for any other link. */
  note(link: Element): string | undefined;
  /** Texts are Markdown as the source writes it. */
  readonly isMarkdown: boolean;
}

/** Inline elements. */
const phrasing = new Set(
  "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math q ruby rp rt s samp small span strike strong sub sup time tt u var wbr input slot nobr output meter progress #math #note".split(
    " ",
  ),
);

/** True for text and inline elements, unless they contain a block according to `hasBlock`. */
export function isInline(node: ChildNode, hasBlock: (element: Element) => boolean): boolean {
  if (isText(node)) return true;
  if (!isTag(node)) return false;
  const { name, attribs } = node;
  return (phrasing.has(name) || attribs["#inline"] !== undefined) && !hasBlock(node);
}

/** Marks by the elements that make them. */
const marks: ReadonlyMap<string, Marked["type"]> = keysByWord({
  strong: "strong b",
  emphasis: "em i",
  deleted: "del s strike",
  superscript: "sup",
  subscript: "sub",
});
const codes = new Set(["code", "kbd", "samp", "tt"]);

/** Reads the nodes of one paragraph. */
export function readInline(nodes: readonly ChildNode[], reading: InlineReading): Inline[] {
  const inline: Inline[] = [];
  for (const node of nodes) readNode(node, reading, inline);
  return inline;
}

function readNode(node: ChildNode, reading: InlineReading, into: Inline[]): void {
  if (isText(node)) {
    if (node instanceof WrittenText) into.push({ type: "words", text: node.data, written: node.written });
    else if (reading.isMarkdown) into.push({ type: "words", text: node.data, written: node.data });
    else for (const part of splitFormulas(node.data)) into.push(part);
    return;
  }
  if (!isTag(node)) return;
  const { name, attribs, children } = node;
  const mark = marks.get(name);
  if (mark !== undefined) {
    // Bold in bold is bold, and a raised or lowered reference to a footnote is one.
    const inside = readInline(children, reading);
    if (inside.every(({ type }) => type === "note")) for (const one of inside) into.push(one);
    else into.push({ type: mark, children: inside });
  } else if (codes.has(name)) readCode(node, into);
  else if (name === "a") readLink(node, reading, into);
  else if (name === "br") into.push({ type: "break" });
  else if (name === "img") into.push({ type: "image", text: (attribs["alt"] ?? "").trim() });
  else if (name === "input") {
    if (attribs["type"] === "checkbox") into.push(wordsAs(attribs["checked"] === undefined ? "[ ] " : "[x] "));
  } else if (name === "q") into.push(wordsAs("“"), ...readInline(children, reading), wordsAs("”"));
  else if (name === "rt" && isTag(node.parent as ChildNode) && (node.parent as Element).name === "ruby")
    into.push(wordsAs(" ("), ...readInline(children, reading), wordsAs(")"));
  else if (name === "#math" || name === "#formula") into.push({ type: "math", written: textOf(node) });
  else if (name === "#note") into.push({ type: "note", label: attribs["label"] ?? "" });
  else if (name !== "wbr" && name !== "rp") {
    const shown = inlineComponent(node);
    if (shown === undefined) for (const child of children) readNode(child, reading, into);
    else if (shown !== "") into.push({ type: "words", text: shown });
  }
}

function wordsAs(text: string): Inline {
  return { type: "words", text };
}

/** Code in a sentence; one with line breaks is several. */
function readCode(element: Element, into: Inline[]): void {
  const lines = [""];
  const read = ({ children }: Element): void => {
    for (const child of children)
      if (isText(child)) lines[lines.length - 1] += child.data;
      else if (isTag(child) && child.name === "br") lines.push("");
      else if (isTag(child)) read(child);
  };
  read(element);
  const ticks = element.attribs["#ticks"];
  const isRaw = ticks !== undefined;
  for (const [at, line] of lines.entries()) {
    const text = isRaw ? line : oneLine(line);
    if (at > 0) into.push({ type: "break" });
    if (!isRaw && /^\s/.test(line)) into.push(wordsAs(" "));
    if (text !== "") into.push({ type: "code", text, ...(isRaw && { ticks: Number(ticks) }) });
    if (!isRaw && /\S\s+$/.test(line)) into.push(wordsAs(" "));
  }
}

function readLink(link: Element, reading: InlineReading, into: Inline[]): void {
  const note = reading.note(link);
  if (note !== undefined) {
    into.push({ type: "note", label: note });
    return;
  }
  const children = readInline(link.children, reading);
  // A picture that is a link is a button or badge.
  if (children.some(({ type }) => type === "image") && !hasWords(children)) return;
  const href = (link.attribs["href"] ?? "").trim();
  const address = href === "" ? "" : reading.address(href);
  if (address === "") for (const child of children) into.push(child);
  else into.push({ type: "link", address, children });
}

/** Whether text has letters or digits outside of pictures. */
function hasWords(nodes: readonly Inline[]): boolean {
  return nodes.some((node) => {
    if (node.type === "words" || node.type === "code") return /[\p{L}\p{N}]/u.test(node.text);
    if (node.type === "image" || node.type === "break") return false;
    return node.type === "math" || node.type === "note" || hasWords(node.children);
  });
}

/** Number of words from which the text of a picture that is alone in its paragraph says something: names and captions are shorter. */
const minImageWords = 5;

/** A paragraph without the pictures that say nothing: in one of pictures only, those with few words. */
export function withoutEmptyImages(inline: readonly Inline[]): readonly Inline[] {
  if (!inline.some(({ type }) => type === "image") || hasWords(inline)) return inline;
  return inline.filter(
    (node) => node.type !== "image" || (node.text.match(/\p{L}{2,}/gu) ?? []).length >= minImageWords,
  );
}

/** The text of nodes without any markup, on one line. */
export function plainText(node: ParentNode | readonly ChildNode[]): string {
  const nodes = "children" in node ? node.children : node;
  return oneLine(nodes.map((child) => textOf(child)).join(""));
}

function oneLine(text: string): string {
  return collapsed(text).trim();
}

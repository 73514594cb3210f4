import { isTag, isText, type ChildNode, type Document, type Element, type ParentNode } from "domhandler";
import { DomHandler, Parser, type ParserOptions } from "htmlparser2";
import { collapsed } from "../tree/write-inline.ts";

/** Maximum depth of elements, beyond which browsers flatten them too (Chromium, `kMaximumHTMLParserDOMTreeDepth`). */
const maxDepth = 512;

class TooDeep extends Error {
  override readonly name = "TooDeep";
}

class CappedHandler extends DomHandler {
  readonly #maxDepth: number;

  constructor(maximum: number) {
    super();
    this.#maxDepth = maximum;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    if (this.tagStack.length > this.#maxDepth) throw new TooDeep();
  }
  // Comments and declarations are invisible to readers.
  override oncomment(): void {}
  override oncommentend(): void {}
  override onprocessinginstruction(): void {}
}

/** Parses a page into elements and texts; null if it is nested deeper than `depth`. Linear in time and memory. */
export function parseTree(source: string, depth = maxDepth, options: ParserOptions = {}): Document | null {
  const handler = new CappedHandler(depth);
  try {
    new Parser(handler, options).end(source);
  } catch (error) {
    if (error instanceof TooDeep) return null;
    throw error;
  }
  return handler.root;
}

/** The elements directly in a node. */
export function elementsIn(node: ParentNode): Element[] {
  return node.children.filter(isTag);
}

/** All elements in a node, in document order; `enter` decides whether to descend into one. */
export function* walk(node: ParentNode, enter: (element: Element) => boolean = () => true): Generator<Element> {
  const open: { readonly children: readonly ChildNode[]; next: number }[] = [{ children: node.children, next: 0 }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const child = last.children[last.next++];
    if (child === undefined) open.pop();
    else if (isTag(child)) {
      yield child;
      if (enter(child)) open.push({ children: child.children, next: 0 });
    }
  }
}

/** The first of some elements that matches. */
export function firstOf(elements: Iterable<Element>, isMatch: (element: Element) => boolean): Element | undefined {
  for (const element of elements) if (isMatch(element)) return element;
  return undefined;
}

/** The raw text of a node, up to about `max` characters. */
export function textOf(node: ChildNode | ParentNode, max = Infinity): string {
  if (isText(node)) return node.data;
  if (!("children" in node)) return "";
  if (isTag(node) && node.name === "br") return "\n";
  let text = "";
  for (const child of node.children) {
    if (text.length > max) break;
    text += textOf(child, max - text.length);
  }
  return text;
}

/** The text of a node on one line. */
export function lineOf(node: ChildNode | ParentNode, max = 1000): string {
  return collapsed(textOf(node, max)).trim();
}

/** The classes of an element. */
export function classesOf({ attribs }: Element): readonly string[] {
  const { class: written = "" } = attribs;
  return written === "" ? [] : written.split(/\s+/);
}

/** The ancestors of an element, the nearest first, at most `max`. */
export function* ancestorsOf(element: Element, max = maxDepth): Generator<Element> {
  let { parent } = element;
  for (let count = 0; count < max && parent !== null && isTag(parent); count++) {
    yield parent;
    ({ parent } = parent);
  }
}

/** Removes nodes from their parents. */
export function removeAll(nodes: readonly ChildNode[]): void {
  const removed = new Set(nodes);
  for (const parent of new Set(nodes.map((node) => node.parent)))
    if (parent !== null) parent.children = parent.children.filter((child) => !removed.has(child));
}

/** Maximum length of a fragment, in characters. */
const maxFragment = 300;

/** An id as a URL fragment; "" if it is too long. */
export function fragmentOf(id: string): string {
  return id.length > maxFragment ? "" : encodeURI(id.toWellFormed()).replaceAll("%25", "%");
}

/** The id of an element, or the name of an empty link. */
export function anchorOf({ name, attribs }: Element): string {
  return attribs["id"] ?? (name === "a" ? (attribs["name"] ?? "") : "");
}

/** The first anchor in a heading. */
export function anchorIn(heading: Element): string {
  for (const element of walk(heading)) {
    const anchor = anchorOf(element);
    if (anchor !== "") return anchor;
  }
  return "";
}

/** Whether a node of a paragraph is in an item of a list or in a cell, which has no title of its own. */
export function isInItem(node: ChildNode | undefined): boolean {
  const around = node?.parent;
  return [around, around?.parent].some((one) => one && isTag(one) && /^(?:li|t[dh]|d[td])$/.test(one.name));
}

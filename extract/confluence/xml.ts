import { isCDATA, isTag, isText } from "domhandler";
import type { ChildNode, Document, Element } from "domhandler";
import { decodeHTML } from "entities";
import { parseTree } from "../html/tree.ts";

/** Deeper elements are not read. */
const maxDepth = 400;

/**
 * The elements of a storage format: XHTML with the elements `ac:` and `ri:`, HTML's entities and CDATA sections. Null if it is
 * nested too deep. Texts are as written: `textIn` decodes them. Linear in time and memory.
 */
export function parseStorage(source: string): Document | null {
  // XML does not know HTML's entities.
  return parseTree(source, maxDepth, { xmlMode: true, decodeEntities: false });
}

/** The text of a text node as it is read. */
export function decoded(data: string): string {
  return data.includes("&") ? decodeHTML(data) : data;
}

/** An attribute as it is read; "" where there is none. */
export function attribute(element: Element, name: string): string {
  return decoded(element.attribs[name] ?? "");
}

/** All text in a node, that of CDATA character by character. */
export function textIn(node: ChildNode | Element): string {
  if (isText(node)) return decoded(node.data);
  if (isCDATA(node)) return node.children.map((child) => (isText(child) ? child.data : "")).join("");
  return isTag(node) ? node.children.map((child) => textIn(child)).join("") : "";
}

/** The first element of a name directly in another. */
export function childOf(element: Element, name: string): Element | undefined {
  return element.children.find((child): child is Element => isTag(child) && child.name === name);
}

/** The elements of a name directly in another. */
export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child): child is Element => isTag(child) && child.name === name);
}

/** A parameter of a macro, trimmed; "" where it has none. */
export function parameter(macro: Element, name: string): string {
  const found = childrenOf(macro, "ac:parameter").find((one) => attribute(one, "ac:name") === name);
  return found === undefined ? "" : textIn(found).trim();
}

/** The name of a macro; undefined for any other element. */
export function macroName(element: Element): string | undefined {
  if (element.name !== "ac:structured-macro" && element.name !== "ac:macro") return undefined;
  return attribute(element, "ac:name").toLowerCase();
}

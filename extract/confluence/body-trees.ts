import { isCDATA, isTag, isText, type ChildNode, type Document, type Element } from "domhandler";
import { decodeHTML } from "entities";
import { parseTree } from "../html/tree.ts";
import { isObject, listOf } from "../json.ts";

/** Maximum depth of elements and nodes. */
const maxDepth = 400;

/**
 * Parses the storage format: XHTML with the elements `ac:` and `ri:`, HTML's entities and CDATA sections. Null if nested too deep. Texts
 * are raw: `textIn` decodes them. Linear in time and memory.
 */
export function parseStorage(source: string): Document | null {
  // In XML mode the parser does not decode HTML's entities.
  return parseTree(source, maxDepth, { xmlMode: true, decodeEntities: false });
}

/** Decodes the entities of a text node. */
export function decoded(data: string): string {
  return data.includes("&") ? decodeHTML(data) : data;
}

/** The decoded value of an attribute; "" if absent. */
export function attribute(element: Element, name: string): string {
  return decoded(element.attribs[name] ?? "");
}

/** All text in a node; CDATA verbatim. */
export function textIn(node: ChildNode | Element): string {
  if (isText(node)) return decoded(node.data);
  if (isCDATA(node)) return node.children.map((child) => (isText(child) ? child.data : "")).join("");
  return isTag(node) ? node.children.map((child) => textIn(child)).join("") : "";
}

/** The first child element with a name. */
export function childOf(element: Element, name: string): Element | undefined {
  return element.children.find((child): child is Element => isTag(child) && child.name === name);
}

/** The child elements with a name. */
export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child): child is Element => isTag(child) && child.name === name);
}

/** A parameter of a macro, trimmed; "" if absent. */
export function parameter(macro: Element, name: string): string {
  const element = childrenOf(macro, "ac:parameter").find((one) => attribute(one, "ac:name") === name);
  return element === undefined ? "" : textIn(element).trim();
}

/** The name of a macro; undefined for any other element. */
export function macroName(element: Element): string | undefined {
  if (element.name !== "ac:structured-macro" && element.name !== "ac:macro") return undefined;
  return attribute(element, "ac:name").toLowerCase();
}

/** A node of the Atlas document format, with defaults for missing fields. */
export interface AdfNode {
  readonly type: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly content: readonly AdfNode[];
  /** Marks of a text node, such as code. */
  readonly marks: readonly Pick<AdfNode, "type" | "attrs">[];
  readonly text: string;
}

/** Parses a document; null for anything else, or if nested too deep. */
export function parseAdf(source: string): AdfNode | null {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
  return toNode(value, 0);
}

function toNode(value: unknown, depth: number): AdfNode | null {
  if (!isObject(value) || typeof value["type"] !== "string" || depth > maxDepth) return null;
  const { type, attrs, content, marks, text } = value;
  return {
    type,
    attrs: isObject(attrs) ? attrs : {},
    content: listOf(content).flatMap((child) => toNode(child, depth + 1) ?? []),
    marks: listOf(marks).flatMap((mark) =>
      isObject(mark) && typeof mark["type"] === "string"
        ? [{ type: mark["type"], attrs: isObject(mark["attrs"]) ? mark["attrs"] : {} }]
        : [],
    ),
    text: typeof text === "string" ? text : "",
  };
}

/** A text attribute; "" if absent. */
export function textOf(attrs: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** A numeric attribute; undefined if absent. */
export function numberOf(attrs: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === "number" ? value : undefined;
}

import { Element, isTag, isText, Text, type ChildNode } from "domhandler";
import type { Lines } from "../blocks.ts";
import type { Code } from "./nodes.ts";

/**
 * Elements that readers of formats other than HTML build, for `../html/read-blocks.ts`: those of HTML, and some whose names begin with
 * `#`, which no source can write. The first and last line of an element, from 1, are its `startIndex` and `endIndex`.
 */

/** A block of code that is read already. Its attribute `#caption` is its title as plain words, which stand before it. */
export class CodeElement extends Element {
  readonly code: Code;

  constructor(code: Code) {
    super("#code", {});
    this.code = code;
    if (code.lines !== undefined) [this.startIndex, this.endIndex] = code.lines;
  }
}

/** Text with the Markdown that the source has for it. */
export class WrittenText extends Text {
  readonly written: string;

  constructor(text: string, written: string) {
    super(text);
    this.written = written;
  }
}

/** Creates an element. Undefined attributes are omitted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  children: readonly ChildNode[],
): Element {
  const attribs: Record<string, string> = {};
  for (const key in attributes) if (attributes[key] !== undefined) attribs[key] = attributes[key];
  const parent = new Element(name, attribs);
  for (const child of children) append(parent, child);
  return parent;
}

/** Adds a node as the last child. */
export function append(parent: Element, child: ChildNode): void {
  const before = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = before;
  child.next = null;
  if (before !== null) before.next = child;
  parent.children.push(child);
}

/** The lines of a node that was built with them. */
export function linesOf({ startIndex, endIndex }: ChildNode): Lines | undefined {
  return startIndex === null || endIndex === null ? undefined : [startIndex, endIndex];
}

/** The lines of a node as a property, if it was built with them. */
export function lined(node: ChildNode): { readonly lines?: Lines } {
  const lines = linesOf(node);
  return lines === undefined ? {} : { lines };
}

/** The lines of a run of nodes. */
export function linesOver(nodes: readonly ChildNode[]): Lines | undefined {
  const all = nodes
    .flatMap((node) => (isText(node) && node.data.trim() === "" ? [] : [linesOf(node) ?? []]))
    .filter((one) => one.length === 2);
  const [first] = all;
  const last = all.at(-1);
  return first === undefined || last === undefined ? undefined : [first[0], last[1]];
}

/** An item of a task list. */
export function task(isDone: boolean, children: readonly ChildNode[]): Element {
  const box = element("input", { type: "checkbox", checked: isDone ? "" : undefined }, []);
  // The box comes before the first words.
  const [first, ...others] = children;
  if (first !== undefined && isTag(first) && first.name === "p")
    return element("li", {}, [element("p", {}, [box, ...first.children]), ...others]);
  return element("li", {}, [box, ...children]);
}

import { isTag, isText, type Element, type ParentNode } from "domhandler";
import { CodeElement } from "../tree/elements.ts";
import { isInline } from "./read-inline.ts";

/** Tests of what an element contains, at any depth. */
export type Contained = ReturnType<typeof findContained>;

const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const [isCode, isHeading, isBlock] = [1, 2, 4];

/** Searches the content once, as a list or table would be searched again for each of its ancestors. */
export function findContained(main: readonly ParentNode[], isSignature: (element: Element) => boolean) {
  const marks = new Map<Element, number>();
  let isPreformatted = false;
  const visit = (node: ParentNode): number => {
    let inside = 0;
    for (const child of node.children) {
      if (isText(child) || !isTag(child)) continue;
      const deeper = visit(child);
      if (deeper !== 0) marks.set(child, deeper);
      inside |= deeper;
      if (child.name === "pre") isPreformatted = true;
      if (child.name === "pre" || child instanceof CodeElement) inside |= isCode | isBlock;
      else if (headings.has(child.name) || isSignature(child)) inside |= isHeading | isBlock;
      else if (!isInline(child, () => false)) inside |= isBlock;
    }
    return inside;
  };
  for (const node of main) {
    const inside = visit(node);
    if (isTag(node)) marks.set(node, inside);
    if (isTag(node) && node.name === "pre") isPreformatted = true;
  }
  const has = (element: Element, mark: number): boolean => ((marks.get(element) ?? 0) & mark) !== 0;
  return {
    /** Whether there is a `<pre>`. */
    isPreformatted,
    code: (element: Element) => has(element, isCode),
    heading: (element: Element) => has(element, isHeading),
    /** Anything that is not inline. */
    block: (element: Element) => has(element, isBlock),
  };
}

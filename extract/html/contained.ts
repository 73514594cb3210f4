import { isTag, isText } from "domhandler";
import type { Element, ParentNode } from "domhandler";
import { isInline } from "./inline.ts";

/** What elements contain, at any depth. */
export interface Contained {
  code(element: Element): boolean;
  heading(element: Element): boolean;
  /** Anything that is not set in a line of text. */
  block(element: Element): boolean;
}

const [isCode, isHeading, isBlock] = [1, 2, 4];

/** Looks through the content once: a list or table would be looked through again for each element that it stands in. */
export function findContained(main: readonly ParentNode[], isSignature: (element: Element) => boolean): Contained {
  const known = new Map<Element, number>();
  const look = (node: ParentNode): number => {
    let inside = 0;
    for (const child of node.children) {
      if (isText(child) || !isTag(child)) continue;
      const deeper = look(child);
      known.set(child, deeper);
      inside |= deeper;
      if (child.name === "pre") inside |= isCode | isBlock;
      else if (/^h[1-6]$/.test(child.name) || isSignature(child)) inside |= isHeading | isBlock;
      else if (!isInline(child, () => false)) inside |= isBlock;
    }
    return inside;
  };
  for (const node of main) {
    const inside = look(node);
    if (isTag(node)) known.set(node, inside);
  }
  const has = (element: Element, mark: number): boolean => ((known.get(element) ?? 0) & mark) !== 0;
  return {
    code: (element) => has(element, isCode),
    heading: (element) => has(element, isHeading),
    block: (element) => has(element, isBlock),
  };
}

import { isTag, isText } from "domhandler";
import type { Element, ParentNode } from "domhandler";
import { isInline } from "./inline.ts";

/** What stands in an element, of whatever depth. */
export interface Holds {
  code(element: Element): boolean;
  heading(element: Element): boolean;
  /** Anything that is not set in a line of text. */
  block(element: Element): boolean;
}

const [isCode, isHeading, isBlock] = [1, 2, 4];

/** Looks once through what is read, so that no list or table has to be looked through for each that it stands in. */
export function whatHolds(main: readonly ParentNode[], isSignature: (element: Element) => boolean): Holds {
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

import { isTag, type Element } from "domhandler";
import { isHidden } from "../html/hidden.ts";
import { keepIcon } from "../html/icons.ts";
import { elementsIn, walk } from "../html/tree.ts";
import { CodeElement } from "../tree/elements.ts";
import { isComponent } from "./component-lines.ts";

/** Elements without words for readers. A template is the content of a slot. */
const silent = new Set("script style svg iframe video object audio select noscript canvas map".split(" "));

/**
 * Removes the elements that have no words for readers, and those that their own attributes hide, except with code in them or an id that
 * the page refers to: a tab or switch shows these.
 */
export function removeHidden(root: Element, source: string): void {
  let names: ReadonlySet<string> | undefined;
  const isLeftOut = (element: Element): boolean => {
    if (silent.has(element.name)) return isHidden(element) || !keepIcon(element);
    if (element.name.startsWith("#") || isComponent(element.name) || !isHidden(element)) return false;
    const { id } = element.attribs;
    if (id !== undefined && (names ??= namesIn(source)).has(id)) return false;
    return !hasCode(element);
  };
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const shown = node.children.filter((child) => !isTag(child) || !isLeftOut(child));
    if (shown.length < node.children.length) node.children = shown;
    for (const child of elementsIn(node)) open.push(child);
  }
}

function hasCode(element: Element): boolean {
  for (const one of walk(element)) if (one instanceof CodeElement) return true;
  return false;
}

/** Names on a page other than ids of elements, such as fragments in links. */
function namesIn(source: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, before = "", name = ""] of source.matchAll(/(\bid\s?=\s?["']|["'#])([\w-]{1,100})(?=["'\s)>?&])/g))
    if (!before.startsWith("id")) names.add(name);
  return names;
}

import { isTag, type Element } from "domhandler";
import { isHidden } from "../html/hidden.ts";
import { keepIcon } from "../html/icons.ts";
import { countDropped, silent, type Dropped } from "../html/remove-navigation.ts";
import { elementsIn, walk } from "../html/tree.ts";
import { CodeElement } from "../tree/elements.ts";
import { isComponent } from "./component-lines.ts";

/**
 * Removes the elements that have no words for readers, and those that their own attributes hide, except with code in them or an id that
 * the page refers to: a tab or switch shows these. A template is the content of a slot. Returns what was removed.
 */
export function removeHidden(root: Element, source: string): Dropped {
  let names: ReadonlySet<string> | undefined;
  const dropped: Dropped = {};
  const isLeftOut = (element: Element): boolean => {
    const { id } = element.attribs;
    const isShown = (): boolean =>
      element.name.startsWith("#") ||
      isComponent(element.name) ||
      !isHidden(element) ||
      (id !== undefined && (names ??= namesIn(source)).has(id)) ||
      hasCode(element);
    if (silent.has(element.name) ? !isHidden(element) && keepIcon(element) : isShown()) return false;
    countDropped(dropped, silent.get(element.name) ?? "hidden", element);
    return true;
  };
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const shown = node.children.filter((child) => !isTag(child) || !isLeftOut(child));
    if (shown.length < node.children.length) node.children = shown;
    for (const child of elementsIn(node)) open.push(child);
  }
  return dropped;
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

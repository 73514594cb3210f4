import type { Element } from "domhandler";
import { isHidden } from "../html/hidden.ts";
import { keepIcon } from "../html/icons.ts";
import { countDropped, silent, type Dropped } from "../html/remove-navigation.ts";
import { removeAll, walk } from "../html/tree.ts";
import { CodeElement } from "../tree/elements.ts";
import { isComponent } from "./component-lines.ts";

/** True for an element that has no words for readers, or that its own attributes hide. A template is the content of a slot. */
export function isConcealed(element: Element): boolean {
  return silent.has(element.name) || (!isComponent(element.name) && isHidden(element));
}

/**
 * Removes such elements, except formulas, labels of icons, and hidden ones with code in them or an id that the page refers to: a tab or
 * switch shows these. Returns what was removed.
 */
export function removeConcealed(concealed: readonly Element[], source: string): Dropped {
  let names: ReadonlySet<string> | undefined;
  const isNamed = ({ attribs: { id } }: Element): boolean => id !== undefined && (names ??= namesIn(source)).has(id);
  const isShown = (one: Element): boolean => {
    if (silent.has(one.name)) return !isHidden(one) && keepIcon(one);
    return one.name.startsWith("#") || isNamed(one) || hasCode(one);
  };
  const dropped: Dropped = {};
  const removed = concealed.filter((one) => !isShown(one));
  for (const one of removed) countDropped(dropped, silent.get(one.name) ?? "hidden", one);
  removeAll(removed);
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

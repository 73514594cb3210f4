import type { Element } from "domhandler";
import { isHidden } from "../html/hidden.ts";
import { removeAll, walk } from "../html/tree.ts";
import { CodeElement } from "../tree/elements.ts";
import { isComponent } from "./component-lines.ts";

/** Elements without words for readers. A template is the content of a slot. */
const silent = new Set("script style svg iframe video object audio select noscript canvas map".split(" "));

/** True for an element that has no words for readers, or that its own attributes hide. */
export function isConcealed(element: Element): boolean {
  return silent.has(element.name) || (!isComponent(element.name) && isHidden(element));
}

/** Removes such elements, except hidden ones with code in them or an id that the page refers to: a tab or switch shows these. */
export function removeConcealed(concealed: readonly Element[], source: string): void {
  let names: ReadonlySet<string> | undefined;
  const isShown = ({ attribs: { id } }: Element): boolean => id !== undefined && (names ??= namesIn(source)).has(id);
  removeAll(concealed.filter((one) => silent.has(one.name) || !(isShown(one) || hasCode(one))));
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

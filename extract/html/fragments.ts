import type { Element } from "domhandler";
import { walk } from "./tree.ts";

const maxFragment = 300;

/** An id as a URL fragment; "" if it is too long. */
export function fragmentOf(id: string): string {
  return id.length > maxFragment ? "" : encodeURI(id.toWellFormed()).replaceAll("%25", "%");
}

/** The id of an element, or the name of an empty link. */
export function anchorOf({ name, attribs }: Element): string {
  return attribs["id"] ?? (name === "a" ? (attribs["name"] ?? "") : "");
}

/** The first anchor in a heading. */
export function anchorIn(heading: Element): string {
  for (const element of walk(heading)) {
    const anchor = anchorOf(element);
    if (anchor !== "") return anchor;
  }
  return "";
}

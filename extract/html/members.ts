import { Element, Text } from "domhandler";
import type { Document } from "domhandler";
import { classesOf, textOf, walk } from "./tree.ts";

/** Gives each member on a page of pdoc (since 7) a heading with its name, which only its signature has. */
export function adaptPdoc(page: Document): void {
  for (const element of walk(page)) {
    const { id = "" } = element.attribs;
    const isMember = classesOf(element).includes("classattr");
    if (id === "" || (element.name !== "section" && !isMember)) continue;
    const heading = new Element(isMember ? "h3" : "h2", { id }, [new Text(id)]);
    heading.parent = element;
    element.children.unshift(heading);
  }
}

/** Sets the tags of TypeDoc apart from the names that they stand at: `Optional`, `Abstract`, `Deprecated`. */
export function adaptTypedoc(page: Document): void {
  for (const element of walk(page))
    if (classesOf(element).includes("tsd-tag")) element.children = [new Text(` ${textOf(element, 100)} `)];
}

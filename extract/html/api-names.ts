import { Element, Text, isTag, isText } from "domhandler";
import type { ChildNode, Document } from "domhandler";
import { ancestorsOf, classesOf, elementsIn, lineOf, walk } from "./tree.ts";

/**
 * Pages of APIs whose members have a place and a signature, but no heading: Haddock, pdoc3, RDoc. Each gets one with its name, so that its
 * passage is found by that, and is led to. And names that are written with signs which are no part of them.
 */

/** Headings that are put before elements, all at once: a page may have many in one place. */
function createTitles() {
  const titles = new Map<Element, Element>();
  return {
    add(element: Element, name: string, text: string, id: string): void {
      if (text !== "") titles.set(element, new Element(name, id === "" ? {} : { id }, [new Text(text)]));
    },
    insert(): void {
      for (const parent of new Set([...titles.keys()].map((element) => element.parent))) {
        if (parent === null) continue;
        parent.children = parent.children.flatMap((child) => {
          const title = isTag(child) ? titles.get(child) : undefined;
          if (title === undefined) return [child];
          title.parent = parent;
          return [title, child];
        });
      }
    },
  };
}

/** Haddock (since 2.14): the module is the title, its sections stand below it, and what a signature declares below these. */
export function adaptHaddock(page: Document): void {
  const titles = createTitles();
  for (const element of walk(page)) {
    const classes = classesOf(element);
    const { parent } = element;
    if (/^h[1-5]$/.test(element.name)) element.name = `h${Number(element.name[1]) + 1}`;
    else if (
      classes.includes("caption") &&
      parent !== null &&
      isTag(parent) &&
      parent.attribs["id"] === "module-header"
    )
      element.name = "h1";
    else if (element.name === "p" && classes.includes("src")) {
      const declared = [...walk(element)].filter((one) => classesOf(one).includes("def"));
      const [first] = declared;
      if (first === undefined) continue;
      titles.add(element, "h6", declared.map((one) => lineOf(one, 100)).join(", "), first.attribs["id"] ?? "");
    }
  }
  titles.insert();
}

/** pdoc3: terms and what is said of them are sections. */
export function adaptPdoc3(page: Document): void {
  const titles = createTitles();
  const members = new Set<Element>();
  const isDeeper = (element: Element): boolean => [...ancestorsOf(element)].some((one) => members.has(one));
  for (const element of walk(page)) {
    const { id } = element.attribs;
    if (element.name === "h3" && isDeeper(element)) element.name = "h4";
    if (element.name !== "dt" || id === undefined) continue;
    const [signature] = elementsIn(element);
    const named = [...walk(element)].find((one) => classesOf(one).includes("ident"));
    if (signature === undefined || named === undefined || !classesOf(signature).includes("name")) continue;
    const level = isDeeper(element) ? "h5" : "h3";
    const { parent } = element;
    if (parent !== null && isTag(parent)) parent.name = "div";
    const said = element.next?.type === "text" ? element.next.next : element.next;
    if (said && isTag(said)) {
      said.name = "div";
      members.add(said);
    }
    element.name = "div";
    delete element.attribs["id"];
    signature.name = "div";
    // Blanks between its parts are those of the markup.
    signature.children = signature.children.filter((child) => !(isText(child) && child.data.trim() === ""));
    titles.add(signature, level, lineOf(named, 200), id);
  }
  titles.insert();
}

/** RDoc: a method is named in the line that calls it, of which there may be several. */
export function adaptRdoc(page: Document): void {
  const titles = createTitles();
  for (const element of walk(page)) {
    if (!classesOf(element).includes("method-detail")) continue;
    const first = elementsIn(element).find((one) => classesOf(one).includes("method-heading"));
    const named = first && [...walk(first)].find((one) => /^method-(?:name|callseq)$/.test(one.attribs["class"] ?? ""));
    const name = named === undefined ? "" : lineOf(named, 200).replace(/(?<=\w[?!=]?)(?:\(.*| ?→.*| ?->.*)$/, "");
    if (first !== undefined) titles.add(first, "h4", name, element.attribs["id"] ?? "");
  }
  titles.insert();
}

/** Javadoc: blanks that no line breaks at, and places where one may, are no characters of a declaration. */
export function adaptJavadoc(page: Document): void {
  // Code of those who wrote the text stands in blocks.
  for (const element of walk(page, (one) => !classesOf(one).includes("block")))
    if (element.name === "pre") inText(element, withPlainBlanks);
}

function inText(element: Element, change: (text: string) => string): void {
  for (const child of element.children)
    if (isText(child)) child.data = change(child.data);
    else if (isTag(child)) inText(child, change);
}

function withPlainBlanks(text: string): string {
  return text.replaceAll("\u200B", "").replaceAll("\u00A0", " ");
}

/** gi-docgen: parts of a name are told apart by its style alone. */
export function adaptGiDocgen(page: Document): void {
  for (const element of walk(page))
    if (element.name === "span" && classesOf(element).includes("sep") && isIn(element, "h1"))
      element.children = [new Text(".") as ChildNode];
}

function isIn(element: Element, name: string): boolean {
  return [...ancestorsOf(element, 3)].some((one) => one.name === name);
}

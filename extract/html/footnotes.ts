import type { Element, ParentNode } from "domhandler";
import { classesOf, elementsIn, lineOf, walk } from "./tree.ts";

const referenceClasses = new Set(["footnote-ref", "footnote-reference", "footref"]);
const noteClasses = new Set(["footnotes", "footnote", "footnote-list", "footnotes-list", "footnote-definition"]);
/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNote = 1000;

/** Finds footnotes in the markup of python-markdown, Sphinx and GitHub. */
export function findNotes(page: ParentNode) {
  let found: Map<string, Element> | undefined;
  /** The elements by their ids, which are searched for with the first link within the page. */
  const targets = (): ReadonlyMap<string, Element> => {
    if (found !== undefined) return found;
    found = new Map();
    for (const element of walk(page)) {
      const { id } = element.attribs;
      if (id !== undefined && !found.has(id)) found.set(id, element);
    }
    return found;
  };
  const idsByLabel = new Map<string, string>();
  return {
    /** The label of the footnote that a link leads to; undefined for any other link. */
    labelOf(link: Element): string | undefined {
      const { attribs } = link;
      const { href = "" } = attribs;
      const id = href.includes("#") ? href.slice(href.indexOf("#") + 1) : undefined;
      if (id === undefined || !targets().has(id)) return undefined;
      const isReference =
        attribs["data-footnote-ref"] !== undefined ||
        attribs["role"] === "doc-noteref" ||
        classesOf(link).some((one) => referenceClasses.has(one)) ||
        /^(?:user-content-)?fn[:\d-]/.test(id);
      const label = lineOf(link, 60).replace(/[[\]\s^]+/g, "");
      if (!isReference || label === "") return undefined;
      idsByLabel.set(label, id);
      return label;
    },
    /** True for an element that contains the texts of footnotes. */
    holds(element: Element): boolean {
      const { attribs } = element;
      if (
        attribs["data-footnotes"] !== undefined ||
        attribs["role"] === "doc-endnotes" ||
        attribs["role"] === "doc-footnote"
      )
        return true;
      return (
        attribs["class"] !== undefined &&
        element.name !== "a" &&
        element.name !== "sup" &&
        classesOf(element).some((one) => noteClasses.has(one))
      );
    },
    /** Texts of the referenced footnotes by label. */
    texts(): ReadonlyMap<string, string> {
      const texts = new Map<string, string>();
      for (const [label, id] of idsByLabel) {
        const target = targets().get(id);
        if (target === undefined) continue;
        // docutils puts the label before the text, and the link back after it.
        const text = lineOf(descriptionOf(target), maxNote)
          .replace(/^\[?\w{0,10}\](?:\s*\([\d, ]{1,40}\))?\s*/, "")
          .replace(/[\u21A9\u21B5\u2934]\uFE0E?\s*$/, "")
          .trimEnd();
        if (text !== "") texts.set(label, text);
      }
      return texts;
    },
  };
}

/** The description of a footnote that is a term of a list. */
function descriptionOf(target: Element): Element {
  if (target.name !== "dt" || target.parent === null) return target;
  const items = target.parent.children;
  return (
    elementsIn(target.parent).find(
      ({ name }, at, all) => name === "dd" && items.indexOf(all[at - 1] ?? target) >= items.indexOf(target),
    ) ?? target
  );
}

import type { Element, ParentNode } from "domhandler";
import { classesOf, elementsIn, lineOf, walk } from "./tree.ts";

/** The footnotes of a page. */
export interface Notes {
  /** The label of the footnote that a link leads to; undefined for any other link. */
  labelOf(link: Element): string | undefined;
  /** True for where the texts of footnotes stand. */
  holds(element: Element): boolean;
  /** Texts of the footnotes that were referred to, by their labels. */
  texts(): ReadonlyMap<string, string>;
}

const references = new Set(["footnote-ref", "footnote-reference", "footref"]);
const places = new Set(["footnotes", "footnote", "footnote-list", "footnotes-list", "footnote-definition"]);
/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNote = 1000;

/** Finds footnotes as python-markdown, Sphinx, and those who follow GitHub's Markdown set them. */
export function findNotes(page: ParentNode): Notes {
  const targets = new Map<string, Element>();
  const wanted = new Map<string, string>();
  for (const element of walk(page)) {
    const { id } = element.attribs;
    if (id !== undefined && !targets.has(id)) targets.set(id, element);
  }
  return {
    labelOf(link) {
      const { attribs } = link;
      const { href = "" } = attribs;
      const id = href.includes("#") ? href.slice(href.indexOf("#") + 1) : undefined;
      if (id === undefined || !targets.has(id)) return undefined;
      const isReference =
        attribs["data-footnote-ref"] !== undefined ||
        attribs["role"] === "doc-noteref" ||
        classesOf(link).some((one) => references.has(one)) ||
        /^(?:user-content-)?fn[:\d-]/.test(id);
      const label = lineOf(link, 60).replace(/[[\]\s^]+/g, "");
      if (!isReference || label === "") return undefined;
      wanted.set(label, id);
      return label;
    },
    holds(element) {
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
        classesOf(element).some((one) => places.has(one))
      );
    },
    texts() {
      const texts = new Map<string, string>();
      for (const [label, id] of wanted) {
        const target = targets.get(id);
        if (target === undefined) continue;
        // Of docutils the label stands before the text, and the way back behind it.
        const text = lineOf(described(target), maxNote)
          .replace(/^\[?\w{0,10}\](?:\s*\([\d, ]{1,40}\))?\s*/, "")
          .replace(/[\u21A9\u21B5\u2934]\uFE0E?\s*$/, "")
          .trimEnd();
        if (text !== "") texts.set(label, text);
      }
      return texts;
    },
  };
}

/** The description of a term, where a footnote is one. */
function described(target: Element): Element {
  if (target.name !== "dt" || target.parent === null) return target;
  const items = target.parent.children;
  return (
    elementsIn(target.parent).find(
      ({ name }, at, all) => name === "dd" && items.indexOf(all[at - 1] ?? target) >= items.indexOf(target),
    ) ?? target
  );
}

import { isTag, type Element, type ParentNode } from "domhandler";
import { ancestorsOf, classesOf, elementsIn, lineOf, removeAll, textOf, walk } from "./tree.ts";

const referenceClasses = new Set(["footnote-ref", "footnote-reference", "footref"]);
const noteClasses = new Set(["footnotes", "footnote", "footnote-list", "footnotes-list", "footnote-definition"]);
/** Maximum length of a footnote, in characters; a longer one stays where it is. */
const maxNote = 1000;

/**
 * Takes footnotes in the markup of python-markdown, Sphinx and GitHub out of a page. What no link refers to stays in it. Returns the
 * labels of the links, and the texts of the footnotes by label.
 */
export function findNotes(page: ParentNode): {
  readonly labels: ReadonlyMap<Element, string>;
  readonly texts: ReadonlyMap<string, string>;
} {
  const targets = new Map<string, Element>();
  const links: Element[] = [];
  for (const element of walk(page)) {
    const { id, href } = element.attribs;
    if (id !== undefined && !targets.has(id)) targets.set(id, element);
    if (element.name === "a" && href?.includes("#") === true) links.push(element);
  }
  const labels = new Map<Element, string>();
  const texts = new Map<string, string>();
  const targetOf = new Map<string, Element>();
  const held = new Set<Element>();
  for (const link of links) {
    const { href = "" } = link.attribs;
    const id = href.slice(href.indexOf("#") + 1);
    const target = targets.get(id);
    if (target === undefined || !isReference(link, id)) continue;
    const label = lineOf(link, 60).replace(/[[\]\s^]+/g, "");
    // Labels may begin again in each section.
    if (label === "" || (targetOf.get(label) ?? target) !== target) continue;
    if (!texts.has(label)) {
      const parts = partsOf(target);
      const text = textOfNote(parts.at(-1) ?? target);
      if (text === "" || text.length > maxNote) continue;
      texts.set(label, text);
      targetOf.set(label, target);
      for (const part of parts) held.add(part);
    }
    labels.set(link, label);
  }
  const seen = new Set<Element>();
  for (const part of held) {
    // A list of footnotes is left out with the last of them.
    for (const around of ancestorsOf(part)) {
      if (seen.has(around)) break;
      seen.add(around);
      const isEmpty = elementsIn(around).every((one) => held.has(one) || /^(?:h[1-6]|hr)$/.test(one.name));
      if (!isEmpty || !(isNote(around) || /^(?:[ou]l|dl|tbody|table)$/.test(around.name))) break;
      held.add(around);
    }
  }
  removeAll([...held]);
  return { labels, texts };
}

/** True for an element around the text of one footnote or more. */
export function isNote(element: Element): boolean {
  const { name, attribs } = element;
  if (attribs["data-footnotes"] !== undefined || /^doc-(?:endnotes|footnote)$/.test(attribs["role"] ?? "")) return true;
  return name !== "a" && name !== "sup" && classesOf(element).some((one) => noteClasses.has(one));
}

function isReference(link: Element, id: string): boolean {
  return (
    link.attribs["data-footnote-ref"] !== undefined ||
    link.attribs["role"] === "doc-noteref" ||
    classesOf(link).some((one) => referenceClasses.has(one)) ||
    /^(?:user-content-)?fn[:\d-]/.test(id)
  );
}

/** The term and the description of a footnote in a list of terms, else the element of the footnote. */
function partsOf(target: Element): readonly Element[] {
  if (target.name !== "dt" || target.parent === null) return [target];
  let next = target.next;
  while (next !== null && textOf(next).trim() === "") ({ next } = next);
  return next !== null && isTag(next) && next.name === "dd" ? [target, next] : [target];
}

/** docutils puts the label before the text, and the link back after it. */
function textOfNote(note: Element): string {
  return lineOf(note, maxNote + 1)
    .replace(/^\[?\w{0,10}\](?:\s*\([\d, ]{1,40}\))?\s*/, "")
    .replace(/[\u21A9\u21B5\u2934]\uFE0E?\s*$/, "")
    .trimEnd();
}

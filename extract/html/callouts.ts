import type { Element } from "domhandler";
import { calloutLabel, isCallout } from "../markdown/callouts.ts";
import { classesOf, elementsIn, lineOf } from "./tree.ts";
import { keysByWord } from "../language.ts";

/** Classes of callouts, of all known generators, GitHub and Bootstrap. */
const calloutClass =
  /^(?:theme-admonition|admonition|custom-block|starlight-aside|markdown-alert|nextra-callout|callout|alert|hint|vp-doc-callout|aside|notice|callout-block|note|warning|tip|important|caution|danger)(?:$|[-_])/;
/** Classes of elements inside a callout. */
const partClass = /__|[-_](?:content|title|icon|body|heading|header|text|link)$/;
/** Other names of kinds in frameworks. */
const aliases: ReadonlyMap<string, string> = keysByWord({
  tip: "success",
  note: "primary secondary default",
  danger: "error",
});
const titleClass = /(?:^|[-_])(?:title|heading|header|admonitionheading)(?:$|[-_])/i;
/** Classes that are callouts only together with a kind. */
const needsKind = /^(?:alert|callout|hint|aside|notice)(?:$|[-_])/;
const blocks = new Set(["div", "aside", "section", "blockquote", "article"]);

/** Whether an element may be a callout by its name. */
export function isCalloutElement({ name }: Element): boolean {
  return blocks.has(name);
}

/** A callout's label, `**Tip:**` or `**Tip: Title**`, and the element of its title; undefined for any other one that may be a callout. */
export function calloutOf(element: Element): { readonly label: string; readonly title?: Element } | undefined {
  const { attribs } = element;
  const classes = classesOf(element).map((one) => one.toLowerCase());
  const marked = classes.filter(isWhole);
  const typed = attribs["data-callout-type"] ?? attribs["data-callout"] ?? attribs["data-type"];
  const isNamed =
    marked.length > 0 ||
    attribs["role"] === "note" ||
    attribs["role"] === "alert" ||
    attribs["data-callout-type"] !== undefined;
  if (!isNamed) return undefined;
  const kind = kindIn([...(typed === undefined ? [] : [typed.toLowerCase()]), ...classes]);
  if (kind === undefined && marked.length > 0 && marked.every((one) => needsKind.test(one)))
    if (!/^(?:callout|hint)$/.test(marked[0] ?? "")) return undefined;
  const title = titleIn(element);
  const titleText = title === undefined ? (attribs["aria-label"] ?? "") : lineOf(title, 300);
  const shownKind = kind ?? kindIn([titleText.toLowerCase()]) ?? "note";
  return {
    label: calloutLabel(shownKind, repeatsKind(titleText, shownKind, classes) ? "" : titleText),
    ...(title && { title }),
  };
}

/** Whether a class, in lower case, is a callout's. */
function isWhole(name: string): boolean {
  return calloutClass.test(name) && !partClass.test(name);
}

/** The kind that a class names, as a whole or in one of its words, the last one first. */
function kindIn(classes: readonly string[]): string | undefined {
  for (const one of classes) {
    const words = one.split(/[-_\s]+/).toReversed();
    for (const word of [one, ...words]) {
      const kind = aliases.get(word) ?? word;
      if (word === "hint" && classes.some((other) => other.startsWith("hint-"))) continue;
      if (isCallout(kind) && !/^(?:admonition|callout|alert|aside|notes?)$/.test(word)) return kind;
    }
  }
  return classes.some((one) => one.split(/[-_\s]+/).includes("note")) ? "note" : undefined;
}

/** Whether a title only repeats the kind. */
function repeatsKind(title: string, kind: string, classes: readonly string[]): boolean {
  const word = title.toLowerCase().replace(/(?<![:!.])[:!.]+$/, "");
  if (word === kind || classes.includes(word) || classes.some((one) => one.endsWith(`-${word}`))) return true;
  return calloutLabel(kind, "").toLowerCase() === `**${word}:**`;
}

function titleIn(element: Element): Element | undefined {
  for (const child of elementsIn(element).slice(0, 3)) {
    if (classesOf(child).some((one) => titleClass.test(one.replace(/([a-z])([A-Z])/g, "$1-$2")))) return child;
    // A callout in it has a title of its own.
    if (classesOf(child).some(isWhole)) continue;
    if (/^(?:b|strong)$/.test(child.name) && isCallout(lineOf(child, 40).replace(/[:.]$/, ""))) return child;
    const inner = elementsIn(child)[0];
    if (inner === undefined) continue;
    if (classesOf(inner).some((one) => titleClass.test(one))) return inner;
    // Nextra has the kind in bold.
    if (/^(?:b|strong)$/.test(inner.name) && isCallout(lineOf(inner, 40)) && child.name !== "p") return inner;
  }
  return undefined;
}

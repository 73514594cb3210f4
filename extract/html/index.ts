import type { Document } from "../blocks.ts";
import type { PageInput } from "../page.ts";
import type { Refused } from "../markdown/index.ts";
import { contentOf, select } from "./generators.ts";
import type { ChildNode, Document as Tree, Element, ParentNode } from "domhandler";
import { toBlocks, type Reading } from "./blocks.ts";
import { calloutOf } from "./callouts.ts";
import { clean, readHead } from "./remove-navigation.ts";
import { findFrames } from "./frames.ts";
import { findContained } from "./inline.ts";
import { findTabs } from "./tabs.ts";
import { parseTree, removeAll, classesOf, elementsIn, lineOf, walk, ancestorsOf, textOf } from "./tree.ts";

/**
 * Reads a page of HTML into the same blocks as Markdown: its visible content, with code character by character. An invalid selector is
 * ignored: forms reject it at submission. Without an address relative links stay as written.
 */
export function readHtml(source: string, options: HtmlOptions = {}): Document | Refused {
  return readPage(source, options, contentOf);
}

export type HtmlOptions = Pick<PageInput, "exclude" | "url">;

/** Like `readHtml`. `find` locates the content on pages of known generators; on other pages heuristics do. */
export function readPage(
  source: string,
  { exclude = [], url }: HtmlOptions,
  find: typeof contentOf,
): Document | Refused {
  const page = parseTree(source);
  if (page === null) return { code: "too_large", reason: "The page's elements are nested deeper than is read." };
  const head = readHead(page);
  const tabs = findTabs(page);
  const known = find(page, head.generator, source);
  known?.generator.adapt?.(page);
  clean(page, { exclude, tabs });
  const main = known === undefined ? mainOf(page) : known.main.filter((element) => isWithin(element, page));
  const { without = "", signatures = "", language = "" } = known?.generator ?? {};
  for (const element of main) removeAll(select(without, element, source));
  const facts = {
    panels: tabs.panels,
    signatures: new Set(main.flatMap((element) => select(signatures, element, source))),
    language,
    address: toAddress(baseOf(head.base, url)),
  };
  const { title, description } = head;
  return { ...readMain(page, main, facts), title, description };
}

/**
 * Reads a tree built from another format into blocks: elements of HTML, with callouts as `<div class="admonition tip">` and
 * without tabs. Relative links are resolved against `url`.
 */
export function readTree(
  tree: Tree,
  { url }: Pick<HtmlOptions, "url">,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  return readMain(tree, elementsIn(tree), {
    panels: new Map(),
    signatures: new Set(),
    language: "",
    address: toAddress(url),
    everyLead: true,
  });
}

/** Findings about a page from before its content is read. */
interface PageFacts extends Pick<Reading, "panels" | "language" | "everyLead"> {
  readonly signatures: ReadonlySet<Element>;
  readonly address: (href: string) => string;
}

function readMain(
  page: Tree,
  main: readonly Element[],
  { signatures, address, ...facts }: PageFacts,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const notes = findNotes(page);
  const contained = findContained(main, (element) => signatures.has(element));
  const callouts = new Map<Element, ReturnType<typeof calloutOf>>();
  const callout = (element: Element): ReturnType<typeof calloutOf> => {
    if (!callouts.has(element)) callouts.set(element, calloutOf(element));
    return callouts.get(element);
  };
  const bounds = {
    isOther: (element: Element): boolean => callout(element) !== undefined,
    isPanel: (element: Element): boolean => facts.panels.has(element),
  };
  const frames = new Map(main.flatMap((element) => [...findFrames(element, bounds)]));
  const blocks = toBlocks(main, {
    ...facts,
    inline: { address, note: (link) => notes.labelOf(link) },
    contained,
    frames,
    callout,
    isSignature: (element) => signatures.has(element),
    isCode: (element) => frames.has(element),
    isLeftOut: (element) => notes.holds(element),
  });
  return { blocks, footnotes: notes.texts(), leftOut: [] };
}

/** Whether an element is still in the page after others were removed. */
function isWithin(element: Element, page: Tree): boolean {
  for (let node: Element | Tree = element; ;) {
    const { parent }: { parent: Element["parent"] } = node;
    if (parent === null) return node === page;
    if (!parent.children.includes(node as ChildNode)) return false;
    node = parent as Element | Tree;
  }
}

/** The address that a page's relative links are resolved against. */
function baseOf(base: string, url: string | undefined): string | undefined {
  const resolved = base === "" ? null : URL.parse(base, url);
  return resolved !== null && /^https?:$/.test(resolved.protocol) ? resolved.href : url;
}

/** Resolves links if the page's address is known; "" for scripts and other links that lead nowhere. */
function toAddress(base: string | undefined): (href: string) => string {
  return (href) => {
    if (/^(?:javascript|data|vbscript|blob|file|about):/i.test(href.replace(/[\s\p{Cc}]+/gu, ""))) return "";
    if (base === undefined) return href;
    return URL.parse(href, base)?.href ?? "";
  };
}

const referenceClasses = new Set(["footnote-ref", "footnote-reference", "footref"]);
const noteClasses = new Set(["footnotes", "footnote", "footnote-list", "footnotes-list", "footnote-definition"]);
/** Maximum length of a footnote, in characters; a longer one is cut. */
const maxNote = 1000;

/** Finds footnotes in the markup of python-markdown, Sphinx and GitHub. */
function findNotes(page: ParentNode) {
  const targets = new Map<string, Element>();
  const idsByLabel = new Map<string, string>();
  for (const element of walk(page)) {
    const { id } = element.attribs;
    if (id !== undefined && !targets.has(id)) targets.set(id, element);
  }
  return {
    /** The label of the footnote that a link leads to; undefined for any other link. */
    labelOf(link: Element): string | undefined {
      const { attribs } = link;
      const { href = "" } = attribs;
      const id = href.includes("#") ? href.slice(href.indexOf("#") + 1) : undefined;
      if (id === undefined || !targets.has(id)) return undefined;
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
        const target = targets.get(id);
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

/** Elements that hold the content of most pages, the best match first. */
const mains: readonly ((element: Element) => boolean)[] = [
  ({ name, attribs }) => name === "main" || attribs["role"] === "main",
  ({ name }) => name === "article",
  ({ attribs }) => /^(?:main-?content|content|main|docs?|documentation)$/i.test(attribs["id"] ?? ""),
];
/** Minimum share of the page's text that its content has. */
const minShare = 0.4;

/** The content of a cleaned page of an unknown generator: its main element if that has enough of the text, else its body. */
function mainOf(page: Tree): readonly Element[] {
  const body = [...walk(page)].find(({ name }) => name === "body");
  const whole: Tree | Element = body ?? page;
  const { length } = textOf(whole);
  for (const isMain of mains) {
    const candidates = [...walk(whole, (element) => !isMain(element))].filter(isMain);
    const sizes = candidates.map((element) => textOf(element).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    if (size > 0 && size >= length * minShare) return holderOf(candidates, whole);
  }
  return body === undefined ? elementsIn(page) : [body];
}

/** If each member of an API has an `<article>` of its own, the content is their common ancestor. */
function holderOf(articles: readonly Element[], whole: Tree | Element): readonly Element[] {
  const [first, ...others] = articles;
  if (first === undefined || others.length === 0) return articles;
  let common = [...ancestorsOf(first)];
  for (const other of others) {
    const around = new Set(ancestorsOf(other));
    common = common.filter((element) => around.has(element));
  }
  const [nearest] = common;
  return nearest === undefined || nearest === whole ? articles : [nearest];
}

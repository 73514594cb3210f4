import type { Document } from "../blocks.ts";
import type { Refused } from "../markdown/index.ts";
import { contentOf, select } from "./generators.ts";
import { isTag } from "domhandler";
import type { ChildNode, Document as Tree, Element, ParentNode } from "domhandler";
import { toBlocks } from "./blocks.ts";
import type { Reading } from "./blocks.ts";
import { calloutOf } from "./callouts.ts";
import { clean, readHead } from "./clean.ts";
import { findFrames } from "./frames.ts";
import { findContained } from "./inline.ts";
import { findTabs } from "./tabs.ts";
import { parseTree, removeAll, classesOf, elementsIn, lineOf, walk, ancestorsOf, textOf } from "./tree.ts";

export type { HtmlOptions };

/**
 * Reads a page of HTML into the blocks that Markdown has too: what a reader sees of its content, code character by character. What holds it is
 * known for generators of documentation (`generators.ts`), and looked for on any other page.
 */
export function readHtml(source: string, options: HtmlOptions = {}): Document | Refused {
  return readPage(source, options, contentOf);
}

interface HtmlOptions {
  /** CSS selectors whose elements are no content. One that cannot be parsed is ignored here; forms refuse it. */
  readonly exclude?: readonly string[];
  /** The page's address, for relative links; absent: links stay as they are written. */
  readonly url?: string;
}

/**
 * Reads a page of HTML into the blocks that Markdown has too: what a reader sees of its content, code character by character. What holds the
 * content is what `find` knows of the page's generator, and looked for on any other page.
 */
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
  const { without, signatures, language = "" } = known?.generator ?? {};
  for (const element of main) if (without !== undefined) removeAll(select(without, element, source));
  const signed = new Set(
    signatures === undefined ? [] : main.flatMap((element) => select(signatures, element, source)),
  );
  const { title, description } = head;
  const address = toAddress(baseOf(head.base, url));
  return { ...readMain(page, main, { tabs, signed, language, address }), title, description };
}

/**
 * Reads a tree that was made of another format than HTML into the blocks that Markdown has too: elements of HTML as a page has them,
 * callouts as `<div class="admonition tip">`, tabs left out. `url` is what relative links are relative to.
 */
export function readMade(
  tree: Tree,
  { url }: Pick<HtmlOptions, "url">,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const tabs: ReturnType<typeof findTabs> = { panels: new Map(), labels: new Set() };
  return readMain(tree, tree.children.filter(isTag), {
    tabs,
    signed: new Set(),
    language: "",
    address: toAddress(url),
    everyLead: true,
  });
}

/** What is known of a page before its content is read. */
interface Known {
  readonly tabs: ReturnType<typeof findTabs>;
  readonly signed: ReadonlySet<Element>;
  readonly language: string;
  readonly everyLead?: true;
  readonly address: (href: string) => string;
}

function readMain(
  page: Tree,
  main: readonly Element[],
  { tabs, signed, language, address, everyLead }: Known,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  const notes = findNotes(page);
  const contained = findContained(main, (element) => signed.has(element));
  const callouts = new Map<Element, ReturnType<typeof calloutOf>>();
  const callout = (element: Element): ReturnType<typeof calloutOf> => {
    if (!callouts.has(element)) callouts.set(element, calloutOf(element));
    return callouts.get(element);
  };
  const frames = new Map(
    main.flatMap((element) => [
      ...findFrames(element, { isOther: (one) => callout(one) !== undefined, isPanel: (one) => tabs.panels.has(one) }),
    ]),
  );
  const reading: Reading = {
    inline: { address, note: (link) => notes.labelOf(link) },
    contained,
    frames,
    panels: tabs.panels,
    callout,
    isSignature: (element) => signed.has(element),
    isCode: (element) => frames.has(element),
    isLeftOut: (element) => notes.holds(element),
    language,
    ...(everyLead && { everyLead }),
  };
  const blocks = toBlocks(main, reading);
  return { blocks, footnotes: notes.texts(), leftOut: [] };
}

/** Whether an element is still in a page of which others were taken. */
function isWithin(element: Element, page: Tree): boolean {
  for (let node: Element | Tree = element; ;) {
    const { parent }: { parent: Element["parent"] } = node;
    if (parent === null) return node === page;
    if (!parent.children.includes(node as ChildNode)) return false;
    node = parent as Element | Tree;
  }
}

/** What relative links of a page are relative to. */
function baseOf(base: string, url: string | undefined): string | undefined {
  const found = base === "" ? null : URL.parse(base, url);
  return found !== null && /^https?:$/.test(found.protocol) ? found.href : url;
}

/** Links are absolute where the page's address is known; those to scripts and the like are not links. */
function toAddress(base: string | undefined): (href: string) => string {
  return (href) => {
    if (/^(?:javascript|data|vbscript|blob|file|about):/i.test(href.replace(/[\s\p{Cc}]+/gu, ""))) return "";
    if (base === undefined) return href;
    return URL.parse(href, base)?.href ?? "";
  };
}

/** The footnotes of a page. */
interface Notes {
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
function findNotes(page: ParentNode): Notes {
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

/** What most pages have for their content, the best first. */
const mains: readonly ((element: Element) => boolean)[] = [
  ({ name, attribs }) => name === "main" || attribs["role"] === "main",
  ({ name }) => name === "article",
  ({ attribs }) => /^(?:main-?content|content|main|docs?|documentation)$/i.test(attribs["id"] ?? ""),
];
/** Less of the page's text than that is not its content. */
const least = 0.4;

/** What holds the content of a cleaned page that no generator is known of: what the page says is its main part, else its body. */
function mainOf(page: Tree): readonly Element[] {
  const body = [...walk(page)].find(({ name }) => name === "body");
  const whole: Tree | Element = body ?? page;
  const { length } = textOf(whole);
  for (const isMain of mains) {
    const found = [...walk(whole, (element) => !isMain(element))].filter(isMain);
    const sizes = found.map((element) => textOf(element).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    if (size > 0 && size >= length * least) return holderOf(found, whole);
  }
  return body === undefined ? elementsIn(page) : [body];
}

/** If each member of an API has an `<article>` of its own, the content is their common ancestor. */
function holderOf(found: readonly Element[], whole: Tree | Element): readonly Element[] {
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return found;
  let common = [...ancestorsOf(first)];
  for (const other of others) {
    const around = new Set(ancestorsOf(other));
    common = common.filter((element) => around.has(element));
  }
  const [nearest] = common;
  return nearest === undefined || nearest === whole ? found : [nearest];
}

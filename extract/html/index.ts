import type { Document } from "../blocks.ts";
import type { PageInput } from "../page.ts";
import type { Refused } from "../markdown/index.ts";
import { contentOf, select } from "./generators.ts";
import type { ChildNode, Document as Tree, Element } from "domhandler";
import { readElements, toAddress, type PageFacts } from "./read-elements.ts";
import { clean, readHead } from "./remove-navigation.ts";
import { findTabs } from "./tabs.ts";
import { parseTree, removeAll, elementsIn, walk, ancestorsOf, textOf } from "./tree.ts";

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
  const facts: PageFacts = {
    panels: tabs.panels,
    signatures: new Set(main.flatMap((element) => select(signatures, element, source))),
    language,
    address: toAddress(baseOf(head.base, url)),
  };
  const { title, description } = head;
  return { ...readElements(page, main, facts), title, description };
}

/**
 * Reads a tree built from another format into blocks: elements of HTML, with callouts as `<div class="admonition tip">` and
 * without tabs. Relative links are resolved against `url`.
 */
export function readTree(
  tree: Tree,
  { url }: Pick<HtmlOptions, "url">,
): Pick<Document, "blocks" | "footnotes" | "leftOut"> {
  return readElements(tree, elementsIn(tree), { address: toAddress(url) });
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

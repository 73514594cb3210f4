import type { Document } from "../blocks.ts";
import type { PageInput } from "../page.ts";
import type { Refused } from "../markdown/index.ts";
import { contentOf, select } from "./generators.ts";
import type { ChildNode, Document as Tree, Element } from "domhandler";
import { element } from "../tree/elements.ts";
import { readHead } from "./head.ts";
import { mainOf } from "./main-part.ts";
import { readElements, toAddress, type PageFacts } from "./read-elements.ts";
import { clean, countDropped } from "./remove-navigation.ts";
import { findTabs } from "./tabs.ts";
import { isHidden } from "./hidden.ts";
import { ancestorsOf, elementsIn, parseTree, removeAll, walk } from "./tree.ts";

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
  const iframes = Array.from(walk(page)).filter(
    ({ name, attribs }) => name === "iframe" && attribs["src"] !== undefined,
  );
  const dropped = clean(page, { exclude, tabs });
  const content = known === undefined ? mainOf(page) : known.main.filter((element) => isWithin(element, page));
  countBeside(content, (element) => countDropped(dropped, "beside", element));
  // Code is looked for within an element.
  const main = known === undefined && content.length > 1 ? [element("div", {}, content)] : content;
  const { without = "", signatures = "", language = "" } = known?.generator ?? {};
  const removed = main.flatMap((element) => select(without, element, source));
  for (const element of removed) countDropped(dropped, "generator", element);
  removeAll(removed);
  const address = toAddress(baseOf(head.base, url));
  const facts: PageFacts = {
    panels: tabs.panels,
    signatures: new Set(main.flatMap((element) => select(signatures, element, source))),
    language,
    address,
  };
  const { title, description } = head;
  const warnings = warningsOf(iframes, page, address);
  return { ...readElements(page, main, facts), title, description, dropped, ...(warnings.length > 0 && { warnings }) };
}

/** Sentences about the iframes that are left in a page, without those that readers do not see. */
function warningsOf(iframes: readonly Element[], page: Tree, address: (href: string) => string): readonly string[] {
  const shown = iframes.filter((one) => !isHidden(one) && one.parent !== null && isWithin(one.parent as Element, page));
  const addresses = new Set(shown.map(({ attribs }) => address(attribs["src"] ?? "")));
  return [...addresses]
    .filter((one) => /^https?:/.test(one))
    .slice(0, maxIframes)
    .map((one) => `Not part of the page: the text of the iframe ${one}.`);
}

const maxIframes = 5;

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

/** Calls `count` for each element beside the content. */
function countBeside(content: readonly Element[], count: (element: Element) => void): void {
  const around = new Set(content.flatMap((element) => [...ancestorsOf(element)]));
  const shown = new Set([...content, ...around]);
  for (const element of around)
    for (const child of elementsIn(element)) if (!shown.has(child) && child.name !== "head") count(child);
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

import type { ChildNode } from "domhandler";
import { callout, codeBlock, element, expandable, link, task, text } from "./build.ts";
import { includedAt } from "./page.ts";
import type { IncludeScope } from "./page.ts";
import { headingOf, panelKind, shownBy } from "./storage.ts";
import { numberOf, parseAdf, textOf } from "./body-trees.ts";
import type { AdfNode } from "./body-trees.ts";
import { includedByAdf, macroParameter } from "./names.ts";

/** Reads the Atlassian Document Format into elements of HTML; undefined for anything else. */
export function readAdf(source: string, place: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseAdf(source);
  return root === null ? undefined : within(root, place);
}

/** The excerpt of a page by its name, "" for the only one; undefined where it has none. */
export function excerptOfAdf(source: string, name: string, place: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseAdf(source);
  const open = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.attrs["extensionKey"] === "excerpt" && (name === "" || macroParameter(node.attrs, "name") === name))
      return within(node, place);
    open.push(...node.content.toReversed());
  }
  return undefined;
}

function within({ content }: AdfNode, place: IncludeScope): readonly ChildNode[] {
  return content.flatMap((child) => read(child, place));
}

/** Nodes that are an element of HTML. */
const elements: Readonly<Record<string, string>> = {
  paragraph: "p",
  bulletList: "ul",
  listItem: "li",
  blockquote: "blockquote",
  table: "table",
  tableRow: "tr",
  decisionList: "ul",
  decisionItem: "li",
  taskList: "ul",
  caption: "p",
};

type Reader = (node: AdfNode, place: IncludeScope) => readonly ChildNode[];

const cell =
  (name: string): Reader =>
  (node, place) => {
    const span = numberOf(node.attrs, "colspan");
    return [element(name, { colspan: span === undefined ? undefined : String(span) }, within(node, place))];
  };

const extension: Reader = (node, place) => {
  const page = includedByAdf(node, place.space);
  const key = textOf(node.attrs, "extensionKey");
  const valueOf = (name: string): string => macroParameter(node.attrs, name);
  if (page === undefined) return shownBy(key, valueOf, () => within(node, place));
  return includedAt(page, key === "include" ? "all" : { excerpt: valueOf("name") }, place);
};

const card: Reader = ({ attrs }) => {
  const address = textOf(attrs, "url");
  return address === "" ? [] : link(address, [text(address)]);
};

const blockCard: Reader = (node, place) => {
  const shown = card(node, place);
  return shown.length === 0 ? [] : [element("p", {}, shown)];
};

const expand: Reader = (node, place) => [expandable(textOf(node.attrs, "title"), within(node, place))];

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  heading: (node, place) => [headingOf(numberOf(node.attrs, "level") ?? 1, wordsOf(node), within(node, place), place)],
  orderedList: (node, place) => [
    element("ol", { start: numberOf(node.attrs, "order")?.toString() }, within(node, place)),
  ],
  codeBlock: (node) => [codeBlock(wordsOf(node), textOf(node.attrs, "language"))],
  panel: (node, place) => [callout(panelKind(textOf(node.attrs, "panelType")), [], within(node, place))],
  expand,
  nestedExpand: expand,
  tableHeader: cell("th"),
  tableCell: cell("td"),
  rule: () => [element("hr", {}, [])],
  hardBreak: () => [element("br", {}, [])],
  emoji: ({ attrs }) => (textOf(attrs, "text") === "" ? [] : [text(textOf(attrs, "text"))]),
  mention: () => [],
  placeholder: () => [],
  media: () => [],
  mediaInline: () => [],
  status: ({ attrs }) => [text(textOf(attrs, "text"))],
  date: ({ attrs }) => [text(dayOf(attrs["timestamp"]))],
  inlineCard: card,
  blockCard,
  embedCard: blockCard,
  taskItem: (node, place) => [task(textOf(node.attrs, "state") === "DONE", within(node, place))],
  blockTaskItem: (node, place) => [task(textOf(node.attrs, "state") === "DONE", within(node, place))],
  extension,
  inlineExtension: extension,
  bodiedExtension: extension,
};

function read(node: AdfNode, place: IncludeScope): readonly ChildNode[] {
  const reader = Object.hasOwn(readers, node.type) ? readers[node.type] : undefined;
  if (reader !== undefined) return reader(node, place);
  const name = Object.hasOwn(elements, node.type) ? elements[node.type] : undefined;
  const children = within(node, place);
  return name === undefined ? children : [element(name, {}, children)];
}

/** Marks that are an element of HTML. */
const marked: Readonly<Record<string, string>> = {
  strong: "strong",
  em: "em",
  code: "code",
  strike: "s",
  underline: "u",
};

function readText({ text: words, marks }: AdfNode): readonly ChildNode[] {
  let shown: readonly ChildNode[] = [text(words)];
  // Code is the innermost: emphasis stands around it.
  for (const { type, attrs } of marks.toSorted((one, other) => rank(one.type) - rank(other.type))) {
    const name = Object.hasOwn(marked, type) ? marked[type] : undefined;
    if (name !== undefined) shown = [element(name, {}, shown)];
    else if (type === "subsup") shown = [element(textOf(attrs, "type") === "sup" ? "sup" : "sub", {}, shown)];
    else if (type === "link") shown = link(textOf(attrs, "href"), shown);
  }
  return shown;
}

function rank(type: string): number {
  return type === "code" ? 0 : type === "link" ? 2 : 1;
}

/** All text in a node. */
function wordsOf(node: AdfNode): string {
  return node.type === "hardBreak" ? "\n" : node.text + node.content.map((child) => wordsOf(child)).join("");
}

/** The day of a moment, in milliseconds since 1970; "" for any other value. */
function dayOf(timestamp: unknown): string {
  const time = typeof timestamp === "string" ? Number(timestamp) : timestamp;
  const date = new Date(typeof time === "number" ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

import { Text, type ChildNode } from "domhandler";
import { callout, codeBlock, expandable, link, picture } from "./build.ts";
import { element, task } from "../tree/elements.ts";
import { readIncluded, type IncludeScope } from "./page.ts";
import { headingOf, panelKind, readSharedMacro } from "./storage.ts";
import { numberOf, parseAdf, textOf, type AdfNode } from "./body-trees.ts";
import { includedByAdf, macroParameter } from "./names.ts";
import { keysByWord } from "../language.ts";

/** Converts the Atlassian Document Format to HTML elements; undefined for anything else. */
export function readAdf(source: string, scope: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseAdf(source);
  return root === null ? undefined : readChildren(root, scope);
}

/** The excerpt of a page by its name, "" for its only one; undefined if missing. */
export function excerptOfAdf(source: string, name: string, scope: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseAdf(source);
  const open = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.attrs["extensionKey"] === "excerpt" && (name === "" || macroParameter(node.attrs, "name") === name))
      return readChildren(node, scope);
    open.push(...node.content.toReversed());
  }
  return undefined;
}

function readChildren({ content }: AdfNode, scope: IncludeScope): readonly ChildNode[] {
  return content.flatMap((child) => read(child, scope));
}

/** HTML elements of nodes. */
const elements: ReadonlyMap<string, string> = keysByWord({
  p: "paragraph caption",
  ul: "bulletList decisionList taskList",
  li: "listItem decisionItem",
  blockquote: "blockquote",
  table: "table",
  tr: "tableRow",
});

type Reader = (node: AdfNode, scope: IncludeScope) => readonly ChildNode[];

const cell =
  (name: string): Reader =>
  (node, scope) => {
    const [colspan, rowspan] = ["colspan", "rowspan"].map((one) => numberOf(node.attrs, one)?.toString());
    return [element(name, { colspan, rowspan }, readChildren(node, scope))];
  };

const extension: Reader = (node, scope) => {
  const page = includedByAdf(node, scope.space);
  const key = textOf(node.attrs, "extensionKey");
  const valueOf = (name: string): string => macroParameter(node.attrs, name);
  if (page === undefined) return readSharedMacro(key, valueOf, () => readChildren(node, scope));
  return readIncluded(page, key === "include" ? "all" : { excerpt: valueOf("name") }, scope);
};

const card: Reader = ({ attrs }) => {
  const address = textOf(attrs, "url");
  return address === "" ? [] : link(address, [new Text(address)]);
};

const blockCard: Reader = (node, scope) => {
  const shown = card(node, scope);
  return shown.length === 0 ? [] : [element("p", {}, shown)];
};

const expand: Reader = (node, scope) => [expandable(textOf(node.attrs, "title"), readChildren(node, scope))];

const media: Reader = ({ attrs }) => [picture(textOf(attrs, "alt"))];

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  heading: (node, scope) => [
    headingOf(numberOf(node.attrs, "level") ?? 1, allText(node), readChildren(node, scope), scope),
  ],
  orderedList: (node, scope) => [
    element("ol", { start: numberOf(node.attrs, "order")?.toString() }, readChildren(node, scope)),
  ],
  codeBlock: (node) => [codeBlock(allText(node), textOf(node.attrs, "language"))],
  panel: (node, scope) => [callout(panelKind(textOf(node.attrs, "panelType")), [], readChildren(node, scope))],
  expand,
  nestedExpand: expand,
  tableHeader: cell("th"),
  tableCell: cell("td"),
  rule: () => [element("hr", {}, [])],
  hardBreak: () => [element("br", {}, [])],
  emoji: ({ attrs }) => (textOf(attrs, "text") === "" ? [] : [new Text(textOf(attrs, "text"))]),
  mention: () => [],
  placeholder: () => [],
  media,
  mediaInline: media,
  status: ({ attrs }) => [new Text(textOf(attrs, "text"))],
  date: ({ attrs }) => [new Text(dayOf(attrs["timestamp"]))],
  inlineCard: card,
  blockCard,
  embedCard: blockCard,
  taskItem: (node, scope) => [task(textOf(node.attrs, "state") === "DONE", readChildren(node, scope))],
  blockTaskItem: (node, scope) => [task(textOf(node.attrs, "state") === "DONE", readChildren(node, scope))],
  extension,
  inlineExtension: extension,
  bodiedExtension: extension,
};

function read(node: AdfNode, scope: IncludeScope): readonly ChildNode[] {
  const reader = Object.hasOwn(readers, node.type) ? readers[node.type] : undefined;
  if (reader !== undefined) return reader(node, scope);
  const name = elements.get(node.type);
  const children = readChildren(node, scope);
  return name === undefined ? children : [element(name, {}, children)];
}

/** HTML elements of marks. */
const markElements: ReadonlyMap<string, string> = new Map(
  Object.entries({ strong: "strong", em: "em", code: "code", strike: "s", underline: "u" }),
);

function readText({ text: words, marks }: AdfNode): readonly ChildNode[] {
  let shown: readonly ChildNode[] = [new Text(words)];
  // Code is innermost, then emphasis, then links.
  for (const { type, attrs } of marks.toSorted((one, other) => rank(one.type) - rank(other.type))) {
    const name = markElements.get(type);
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
function allText(node: AdfNode): string {
  return node.type === "hardBreak" ? "\n" : node.text + node.content.map((child) => allText(child)).join("");
}

/** The day of a timestamp in milliseconds since 1970; "" for any other value. */
function dayOf(timestamp: unknown): string {
  const time = typeof timestamp === "string" ? Number(timestamp) : timestamp;
  const date = new Date(typeof time === "number" ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

import { isCDATA, isTag, isText } from "domhandler";
import type { ChildNode, Element, ParentNode } from "domhandler";
import { walk } from "../html/tree.ts";
import { callout, element, link, task, text, codeBlock, expandable } from "./build.ts";
import { addressOf, fragmentOf, includedAt } from "./page.ts";
import type { IncludeScope } from "./page.ts";
import { pageIn, includedBy } from "./names.ts";
import { attribute, childOf, childrenOf, decoded, macroName, parameter, parseStorage, textIn } from "./body-trees.ts";

/** Macros whose body is a callout, and what Markdown calls it. */
const callouts: ReadonlyMap<string, string> = new Map([
  ["info", "info"],
  ["note", "note"],
  ["warning", "warning"],
  ["tip", "tip"],
]);

/** Macros that show code, and what it is in; "" where a parameter says that. */
const codes: ReadonlyMap<string, string> = new Map([
  ["code", ""],
  ["noformat", ""],
  ["plantuml", "plantuml"],
  ["mermaid", "mermaid"],
  ["mermaid-macro", "mermaid"],
  ["html", "html"],
  ["html-bobswift", "html"],
  ["sql", "sql"],
  ["latex", "latex"],
  ["mathblock", "latex"],
  ["markdown", "markdown"],
]);

/** Macros that open as `expand` does. */
const opening = new Set(["ui-expand", "ui-tab", "tab"]);

/** Reads the content of an element. */
type Inside = (element: Element, place: IncludeScope) => readonly ChildNode[];

/** What a macro shows, as HTML. What it makes of other pages, such as a table of contents, is left out. */
function readMacro(macro: Element, place: IncludeScope, inside: Inside): readonly ChildNode[] {
  const name = macroName(macro) ?? "";
  const code = codes.get(name);
  const plain = childOf(macro, "ac:plain-text-body");
  if (code !== undefined || plain !== undefined) return readCode(macro, plain, code ?? "");
  const kind = callouts.get(name);
  const body = (): readonly ChildNode[] => {
    const rich = childOf(macro, "ac:rich-text-body");
    return rich === undefined ? [] : inside(rich, place);
  };
  if (kind !== undefined) return [callout(kind, titled(parameter(macro, "title")), body())];
  if (opening.has(name)) return [expandable(parameter(macro, "title"), body())];
  if (name === "include" || name === "excerpt-include") return readInclude(macro, name, place);
  return shownBy(name, (parameterName) => parameter(macro, parameterName), body);
}

/** What a macro shows that both formats have; of any other it is the body. */
export function shownBy(
  name: string,
  valueOf: (parameter: string) => string,
  body: () => readonly ChildNode[],
): readonly ChildNode[] {
  if (name === "status") return titled(valueOf("title"));
  if (name === "jira") return [text(valueOf("key"))];
  if (name === "anchor") return [element("a", { id: valueOf("") }, [])];
  if (name === "excerpt" && valueOf("hidden") === "true") return [];
  if (name === "expand") return [expandable(valueOf("title"), body())];
  if (name === "panel") return [callout("note", titled(valueOf("title")), body())];
  return body();
}

function titled(title: string): readonly ChildNode[] {
  return title === "" ? [] : [text(title)];
}

function readCode(macro: Element, plain: Element | undefined, language: string): readonly ChildNode[] {
  if (plain === undefined) return [];
  const said = language || parameter(macro, "language") || parameter(macro, "");
  return [codeBlock(textIn(plain), said, parameter(macro, "title"))];
}

function readInclude(macro: Element, name: string, place: IncludeScope): readonly ChildNode[] {
  const page = includedBy(macro, place.space);
  if (page === undefined) return [];
  return includedAt(page, name === "include" ? "all" : { excerpt: parameter(macro, "name") }, place);
}

/** Reads a storage format into elements of HTML; undefined where it is nested deeper than is read. */
export function readStorage(source: string, place: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseStorage(source);
  return root === null ? undefined : inside(root, place);
}

/** The excerpt of a page by its name, "" for the only one; undefined where it has none. */
export function excerptOf(source: string, name: string, place: IncludeScope): readonly ChildNode[] | undefined {
  for (const macro of walk(parseStorage(source) ?? ({ children: [] } as unknown as ParentNode))) {
    if (macroName(macro) !== "excerpt") continue;
    if (name !== "" && parameter(macro, "name") !== name) continue;
    const body = childOf(macro, "ac:rich-text-body");
    return body === undefined ? [] : inside(body, place);
  }
  return undefined;
}

/** What stands in an element, as HTML. */
function inside(parent: ParentNode, place: IncludeScope): readonly ChildNode[] {
  return parent.children.flatMap((child) => read(child, place));
}

function read(node: ChildNode, place: IncludeScope): readonly ChildNode[] {
  if (isText(node)) return [text(decoded(node.data))];
  if (isCDATA(node)) return [text(textIn(node))];
  if (!isTag(node)) return [];
  const { name } = node;
  if (name.startsWith("ac:")) return (readers[name] ?? inside)(node, place);
  if (name.startsWith("ri:")) return [];
  return plain(node, place);
}

/** Elements that are read as they are; of others there is what stands in them. */
const kept = new Set(
  (
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tfoot tr th td caption pre code blockquote strong b em i u s del " +
    "strike sub sup a span div small big kbd samp tt cite q ins abbr"
  ).split(" "),
);

function plain(node: Element, place: IncludeScope): readonly ChildNode[] {
  const { name } = node;
  if (name === "time") return [text(attribute(node, "datetime"))];
  if (!kept.has(name)) return inside(node, place);
  const children = inside(node, place);
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return [headingOf(Number(level), textIn(node), children, place)];
  if (name === "a") return link(attribute(node, "href"), children);
  const spans = ["colspan", "start"].flatMap((one) =>
    node.attribs[one] === undefined ? [] : [[one, attribute(node, one)]],
  );
  return [element(name, Object.fromEntries(spans) as Record<string, string>, children)];
}

/** A heading of a page, which stands below the page's title. */
export function headingOf(
  level: number,
  words: string,
  children: readonly ChildNode[],
  { part }: IncludeScope,
): Element {
  return element(`h${Math.min(level + 1, 6)}`, { id: fragmentOf(words, part.title, part.product) }, children);
}

type Reader = (node: Element, place: IncludeScope) => readonly ChildNode[];

const nothing: Reader = () => [];

const readers: Readonly<Record<string, Reader>> = {
  "ac:structured-macro": (node, place) => readMacro(node, place, inside),
  "ac:macro": (node, place) => readMacro(node, place, inside),
  "ac:link": readLink,
  "ac:task-list": (node, place) => [
    element(
      "ul",
      {},
      childrenOf(node, "ac:task").flatMap((one) => readTask(one, place)),
    ),
  ],
  "ac:adf-extension": readExtension,
  "ac:emoticon": (node) => emojiOf(node),
  "ac:image": readImage,
  "ac:parameter": nothing,
  "ac:placeholder": nothing,
  "ac:task-id": nothing,
  "ac:task-status": nothing,
};

function readTask(node: Element, place: IncludeScope): readonly ChildNode[] {
  const status = childOf(node, "ac:task-status");
  const body = childOf(node, "ac:task-body");
  const isDone = status !== undefined && textIn(status).trim() === "complete";
  return [task(isDone, body === undefined ? [] : inside(body, place))];
}

/** A link to a page, a heading, a file or an address. What is linked is named where it has no text of its own. */
function readLink(node: Element, place: IncludeScope): readonly ChildNode[] {
  const rich = childOf(node, "ac:link-body");
  const bare = childOf(node, "ac:plain-text-link-body");
  const said = rich === undefined ? (bare === undefined ? [] : [text(textIn(bare))]) : inside(rich, place);
  const anchor = attribute(node, "ac:anchor");
  const page = pageIn(node, place.space);
  const named = (name: string): readonly ChildNode[] => (said.length === 0 && name !== "" ? [text(name)] : said);
  if (page !== undefined) return link(addressOf(page, anchor, place), named(page.title));
  const target = node.children.find((child): child is Element => isTag(child) && child.name.startsWith("ri:"));
  if (target?.name === "ri:attachment") return named(attribute(target, "ri:filename"));
  if (target?.name === "ri:url") return link(attribute(target, "ri:value"), named(attribute(target, "ri:value")));
  if (target !== undefined || anchor === "") return said;
  return link(`#${encodeURI(fragmentOf(anchor, place.part.title, place.part.product))}`, named(anchor));
}

/** A picture says what stands below it; its file is named, not read. */
function readImage(node: Element, place: IncludeScope): readonly ChildNode[] {
  const caption = childOf(node, "ac:caption");
  return caption === undefined ? [] : [element("p", {}, inside(caption, place))];
}

function emojiOf(node: Element): readonly ChildNode[] {
  const sign = attribute(node, "ac:emoji-fallback");
  return sign === "" || sign.startsWith(":") ? [] : [text(sign)];
}

/** What only the newer format has, as that format has it. */
function readExtension(node: Element, place: IncludeScope): readonly ChildNode[] {
  const inner = childOf(node, "ac:adf-node");
  const content = inner && childOf(inner, "ac:adf-content");
  if (inner === undefined || content === undefined) {
    const fallback = childOf(node, "ac:adf-fallback");
    return fallback === undefined ? [] : inside(fallback, place);
  }
  return readAdfNode(inner, content, place);
}

function readAdfNode(node: Element, content: Element, place: IncludeScope): readonly ChildNode[] {
  const type = attribute(node, "type");
  if (type === "panel") {
    const kind = childrenOf(node, "ac:adf-attribute").find((one) => attribute(one, "key") === "panel-type");
    return [callout(panelKind(kind === undefined ? "" : textIn(kind).trim()), [], inside(content, place))];
  }
  const items = childrenOf(content, "ac:adf-node");
  if (items.length === 0) return inside(content, place);
  const list = items.map((item) => element("li", {}, inside(childOf(item, "ac:adf-content") ?? item, place)));
  return [element("ul", {}, list)];
}

/** What a panel of the newer editor is called in Markdown. */
export function panelKind(type: string): string {
  const kinds: Readonly<Record<string, string>> = {
    info: "info",
    note: "note",
    warning: "warning",
    error: "danger",
    success: "tip",
    tip: "tip",
  };
  return kinds[type] ?? "note";
}

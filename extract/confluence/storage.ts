import { isCDATA, isTag, isText, Text, type ChildNode, type Element, type ParentNode } from "domhandler";
import { walk } from "../html/tree.ts";
import { callout, link, picture, codeBlock, expandable } from "./build.ts";
import { element, task } from "../tree/elements.ts";
import { addressOf, fragmentOf, readIncluded, type IncludeScope } from "./page.ts";
import { pageIn, includedBy } from "./names.ts";
import { attribute, childOf, childrenOf, decoded, macroName, parameter, parseStorage, textIn } from "./body-trees.ts";
import { keysByWord } from "../language.ts";

/** Macros whose body is a callout; Markdown has the same names. */
const callouts = new Set(["info", "note", "warning", "tip"]);

/** Macros that show code, and its language; "" if a parameter has it. */
const codes: ReadonlyMap<string, string> = keysByWord({
  "": "code noformat",
  plantuml: "plantuml",
  mermaid: "mermaid mermaid-macro",
  html: "html html-bobswift",
  sql: "sql",
  latex: "latex mathblock",
  markdown: "markdown",
});

/** Macros that expand like `expand`. */
const opening = new Set(["ui-expand", "ui-tab", "tab"]);

/** The output of a macro as HTML. Text generated from other pages, such as a table of contents, is left out. */
function readMacro(macro: Element, scope: IncludeScope): readonly ChildNode[] {
  const name = macroName(macro) ?? "";
  const code = codes.get(name);
  const plain = childOf(macro, "ac:plain-text-body");
  if (code !== undefined || plain !== undefined) return readCode(macro, plain, code ?? "");
  const body = (): readonly ChildNode[] => {
    const rich = childOf(macro, "ac:rich-text-body");
    return rich === undefined ? [] : readChildren(rich, scope);
  };
  if (callouts.has(name)) return [callout(name, titled(parameter(macro, "title")), body())];
  if (opening.has(name)) return [expandable(parameter(macro, "title"), body())];
  if (name === "include" || name === "excerpt-include") return readInclude(macro, name, scope);
  return readSharedMacro(name, (parameterName) => parameter(macro, parameterName), body);
}

/** The output of a macro that both formats have; the body for any other macro. */
export function readSharedMacro(
  name: string,
  valueOf: (parameter: string) => string,
  body: () => readonly ChildNode[],
): readonly ChildNode[] {
  if (name === "status") return titled(valueOf("title"));
  if (name === "jira") return [new Text(valueOf("key"))];
  if (name === "anchor") return [element("a", { id: valueOf("") }, [])];
  if (name === "excerpt" && valueOf("hidden") === "true") return [];
  if (name === "expand") return [expandable(valueOf("title"), body())];
  if (name === "panel") return [callout("note", titled(valueOf("title")), body())];
  return body();
}

function titled(title: string): readonly ChildNode[] {
  return title === "" ? [] : [new Text(title)];
}

function readCode(macro: Element, plain: Element | undefined, language: string): readonly ChildNode[] {
  if (plain === undefined) return [];
  const name = language || parameter(macro, "language") || parameter(macro, "");
  return [codeBlock(textIn(plain), name, parameter(macro, "title"))];
}

function readInclude(macro: Element, name: string, scope: IncludeScope): readonly ChildNode[] {
  const page = includedBy(macro, scope.space);
  if (page === undefined) return [];
  return readIncluded(page, name === "include" ? "all" : { excerpt: parameter(macro, "name") }, scope);
}

/** Converts the storage format to HTML elements; undefined if nested too deep. */
export function readStorage(source: string, scope: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseStorage(source);
  return root === null ? undefined : readChildren(root, scope);
}

/** The excerpt of a page by its name, "" for its only one; undefined if missing. */
export function excerptOf(source: string, name: string, scope: IncludeScope): readonly ChildNode[] | undefined {
  const root = parseStorage(source);
  for (const macro of root === null ? [] : walk(root)) {
    if (macroName(macro) !== "excerpt") continue;
    if (name !== "" && parameter(macro, "name") !== name) continue;
    const body = childOf(macro, "ac:rich-text-body");
    return body === undefined ? [] : readChildren(body, scope);
  }
  return undefined;
}

/** Converts the children of an element. */
function readChildren(parent: ParentNode, scope: IncludeScope): readonly ChildNode[] {
  return parent.children.flatMap((child) => read(child, scope));
}

function read(node: ChildNode, scope: IncludeScope): readonly ChildNode[] {
  if (isText(node)) return [new Text(decoded(node.data))];
  if (isCDATA(node)) return [new Text(textIn(node))];
  if (!isTag(node)) return [];
  const { name } = node;
  if (name.startsWith("ac:")) return (readers[name] ?? readChildren)(node, scope);
  if (name.startsWith("ri:")) return [];
  return plain(node, scope);
}

/** Elements that are kept; others are replaced by their children. */
const kept = new Set(
  (
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tfoot tr th td caption pre code blockquote strong b em i u s del " +
    "strike sub sup a span div small big kbd samp tt cite q ins abbr"
  ).split(" "),
);

function plain(node: Element, scope: IncludeScope): readonly ChildNode[] {
  const { name } = node;
  if (name === "time") return [new Text(attribute(node, "datetime"))];
  if (!kept.has(name)) return readChildren(node, scope);
  const children = readChildren(node, scope);
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return [headingOf(Number(level), textIn(node), children, scope)];
  if (name === "a") return link(attribute(node, "href"), children);
  const spans = ["colspan", "rowspan", "start"].flatMap((one) =>
    node.attribs[one] === undefined ? [] : [[one, attribute(node, one)]],
  );
  return [element(name, Object.fromEntries(spans) as Record<string, string>, children)];
}

/** A heading of a page, one level below the page's title. */
export function headingOf(
  level: number,
  words: string,
  children: readonly ChildNode[],
  { part }: IncludeScope,
): Element {
  return element(`h${Math.min(level + 1, 6)}`, { id: fragmentOf(words, part.title, part.product) }, children);
}

type Reader = (node: Element, scope: IncludeScope) => readonly ChildNode[];

const nothing: Reader = () => [];

const readers: Readonly<Record<string, Reader>> = {
  "ac:structured-macro": readMacro,
  "ac:macro": readMacro,
  "ac:link": readLink,
  "ac:task-list": (node, scope) => [
    element(
      "ul",
      {},
      childrenOf(node, "ac:task").flatMap((one) => readTask(one, scope)),
    ),
  ],
  "ac:adf-extension": readExtension,
  "ac:emoticon": emojiOf,
  "ac:image": readImage,
  "ac:parameter": nothing,
  "ac:placeholder": nothing,
  "ac:task-id": nothing,
  "ac:task-status": nothing,
};

function readTask(node: Element, scope: IncludeScope): readonly ChildNode[] {
  const status = childOf(node, "ac:task-status");
  const body = childOf(node, "ac:task-body");
  const isDone = status !== undefined && textIn(status).trim() === "complete";
  return [task(isDone, body === undefined ? [] : readChildren(body, scope))];
}

/** A link to a page, heading, file or address. Without a text of its own it gets the name of its target. */
function readLink(node: Element, scope: IncludeScope): readonly ChildNode[] {
  const rich = childOf(node, "ac:link-body");
  const bare = childOf(node, "ac:plain-text-link-body");
  const label = rich === undefined ? (bare === undefined ? [] : [new Text(textIn(bare))]) : readChildren(rich, scope);
  const anchor = attribute(node, "ac:anchor");
  const page = pageIn(node, scope.space);
  const labelOr = (name: string): readonly ChildNode[] =>
    label.length === 0 && name !== "" ? [new Text(name)] : label;
  if (page !== undefined) return link(addressOf(page, anchor, scope), labelOr(page.title));
  const target = node.children.find((child): child is Element => isTag(child) && child.name.startsWith("ri:"));
  if (target?.name === "ri:attachment") return labelOr(attribute(target, "ri:filename"));
  if (target?.name === "ri:url") return link(attribute(target, "ri:value"), labelOr(attribute(target, "ri:value")));
  if (target !== undefined || anchor === "") return label;
  return link(`#${encodeURI(fragmentOf(anchor, scope.part.title, scope.part.product))}`, labelOr(anchor));
}

/** The text and the caption of a picture, whose file is not read. */
function readImage(node: Element, scope: IncludeScope): readonly ChildNode[] {
  const caption = childOf(node, "ac:caption");
  return [
    picture(attribute(node, "ac:alt")),
    ...(caption === undefined ? [] : [element("p", {}, readChildren(caption, scope))]),
  ];
}

function emojiOf(node: Element): readonly ChildNode[] {
  const sign = attribute(node, "ac:emoji-fallback");
  return sign === "" || sign.startsWith(":") ? [] : [new Text(sign)];
}

/** Content of the newer format within the storage format. */
function readExtension(node: Element, scope: IncludeScope): readonly ChildNode[] {
  const inner = childOf(node, "ac:adf-node");
  const content = inner && childOf(inner, "ac:adf-content");
  if (inner === undefined || content === undefined) {
    const fallback = childOf(node, "ac:adf-fallback");
    return fallback === undefined ? [] : readChildren(fallback, scope);
  }
  return readAdfNode(inner, content, scope);
}

function readAdfNode(node: Element, content: Element, scope: IncludeScope): readonly ChildNode[] {
  const type = attribute(node, "type");
  if (type === "panel") {
    const kind = childrenOf(node, "ac:adf-attribute").find((one) => attribute(one, "key") === "panel-type");
    return [callout(panelKind(kind === undefined ? "" : textIn(kind).trim()), [], readChildren(content, scope))];
  }
  const items = childrenOf(content, "ac:adf-node");
  if (items.length === 0) return readChildren(content, scope);
  const list = items.map((item) => element("li", {}, readChildren(childOf(item, "ac:adf-content") ?? item, scope)));
  return [element("ul", {}, list)];
}

/** The callout of a panel of the newer editor. */
export function panelKind(type: string): string {
  if (type === "error") return "danger";
  return type === "success" ? "tip" : callouts.has(type) ? type : "note";
}

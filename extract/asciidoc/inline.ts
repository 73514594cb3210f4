import { isTag, Text, type ChildNode } from "domhandler";
import { parseTree, textOf } from "../html/tree.ts";
import { element } from "../tree/elements.ts";

/** An inline node of Asciidoctor. */
export interface InlineNode {
  readonly nodeName: string;
  readonly type: string | null;
  readonly target: string | null;
  readonly text: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  getAttribute(name: string): unknown;
}

/** The placeholder of a callout in code: a noncharacter, which texts do not have (Unicode, 23.7, "Noncharacters"). */
export const calloutMark = "\uFDD0";

/** The page that a cross reference leads to: its address, "" if it is not known, and its title as HTML if that is. */
export interface Target {
  readonly address: string;
  readonly title?: string;
}

/** What inline nodes are shown as where the library's own HTML is for browsers; undefined for its own. */
export function inlineHtml(node: InlineNode, find: (target: string) => Target): string | undefined {
  const { nodeName, type, text, target } = node;
  const value = (name: string): string => {
    const found = node.getAttribute(name);
    return typeof found === "string" || typeof found === "number" ? String(found) : "";
  };
  if (nodeName === "inline_callout") return calloutMark;
  if (nodeName === "inline_footnote") {
    const index = value("index");
    return index === "" ? "" : `<adoc-note label="${index}"></adoc-note>`;
  }
  if (nodeName === "inline_quoted") {
    if (type === "latexmath") return `<adoc-math>${text ?? ""}</adoc-math>`;
    if (type === "asciimath") return `<code>${text ?? ""}</code>`;
    if (type === "double") return `"${text ?? ""}"`;
    if (type === "single") return `'${text ?? ""}'`;
  }
  if (nodeName === "inline_menu") {
    const submenus = node.getAttribute("submenus");
    const path = [value("menu"), ...(Array.isArray(submenus) ? submenus.map(String) : []), value("menuitem")];
    return `<b>${path.filter(Boolean).join(" &gt; ")}</b>`;
  }
  if (nodeName === "inline_image" && type !== "icon") {
    const alt = value("alt");
    return alt === "" || alt === value("default-alt") ? "" : `<img alt="${alt.replaceAll('"', "&quot;")}">`;
  }
  if (nodeName === "inline_anchor" && type === "xref") {
    const path = node.attributes["path"];
    if (typeof path !== "string" || path === "") return undefined;
    const { address, title = path } = find(path);
    const words = text || title;
    return address === "" ? words : `<a href="${target?.replace(path, () => address) ?? address}">${words}</a>`;
  }
  return undefined;
}

/** Characters that replace ASCII, by what the source has for them. */
const replaced: readonly (readonly [string, string])[] = [
  ["&#8201;&#8212;&#8201;", " -- "],
  ["&#8212;&#8203;", "--"],
  ["&#8230;&#8203;", "..."],
  ["&#8217;", "'"],
  ["&#8594;", "-&gt;"],
  ["&#8658;", "=&gt;"],
  ["&#8592;", "&lt;-"],
  ["&#8656;", "&lt;="],
  ["&#169;", "(C)"],
  ["&#174;", "(R)"],
  ["&#8482;", "(TM)"],
];

/** Maximum depth of elements in a sentence, which only HTML in the source can exceed. */
const maxDepth = 100;

/** The nodes of converted text. */
export function nodesOf(html: string): ChildNode[] {
  if (!/[<&]/.test(html)) return html === "" ? [] : [new Text(html)];
  let source = html;
  if (source.includes("&#")) for (const [shown, written] of replaced) source = source.replaceAll(shown, written);
  const tree = parseTree(source, maxDepth);
  if (tree === null) return [new Text(source.replace(/<[^<>]*>/g, ""))];
  return tree.children.map(internal);
}

/** A node with the elements that no HTML has by their own names. */
function internal(node: ChildNode): ChildNode {
  if (!isTag(node)) return node;
  if (node.name === "adoc-note") return element("#note", { label: node.attribs["label"] }, []);
  if (node.name === "adoc-math") return element("#math", {}, [new Text(`$${textOf(node).trim()}$`)]);
  return node.children.some(isTag) ? element(node.name, node.attribs, node.children.map(internal)) : node;
}

/** The words of converted text. */
export function wordsOf(html: string): string {
  return nodesOf(html)
    .map((node) => textOf(node))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

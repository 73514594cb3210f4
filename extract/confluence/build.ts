import { Document, Text, type ChildNode, type Element } from "domhandler";
import { element } from "../tree/elements.ts";

/** Creates the tree of a page from its title and body. */
export function page(title: string, children: readonly ChildNode[]): Document {
  const body = element("div", {}, [element("h1", {}, [new Text(title)]), ...children]);
  const root = new Document([body]);
  body.parent = root;
  return root;
}

/** A block of verbatim code, with its title above. */
export function codeBlock(code: string, language: string, title = ""): Element {
  // HTML drops a line end at either end.
  const pre = element("pre", { "data-language": canonicalName(language) }, [new Text(`\n${code}\n`)]);
  if (title === "") return pre;
  return element("figure", {}, [element("figcaption", {}, [new Text(title)]), pre]);
}

/** A callout of a kind known to Markdown. */
export function callout(kind: string, title: readonly ChildNode[], children: readonly ChildNode[]): Element {
  const heading = title.length === 0 ? [] : [element("p", { class: "admonition-title" }, title)];
  return element("div", { class: `admonition ${kind}` }, [...heading, ...children]);
}

/** An expandable block; without a title it is always open. */
export function expandable(title: string, children: readonly ChildNode[]): Element {
  if (title === "") return element("div", {}, children);
  return element("details", {}, [element("summary", {}, [new Text(title)]), ...children]);
}

/** The text in place of a picture; the editor's is the name of its file. */
export function picture(text: string): Element {
  return element("img", { alt: /\.(?:png|jpe?g|gif|svg|webp|bmp)$/i.test(text) ? "" : text }, []);
}

/** A link; without an address, only its content. */
export function link(href: string | undefined, children: readonly ChildNode[]): readonly ChildNode[] {
  return href === undefined || href === "" ? children : [element("a", { href }, children)];
}

/** Names of languages that only Confluence uses. */
const languages: ReadonlyMap<string, string> = new Map([
  ["html/xml", "xml"],
  ["html and xml", "xml"],
  ["plain text", "text"],
  ["c#", "csharp"],
  ["c++", "cpp"],
  ["actionscript3", "actionscript"],
  ["as3", "actionscript"],
  ["jscript", "javascript"],
  ["ps", "powershell"],
  ["vb", "vbnet"],
  ["visual basic", "vbnet"],
  ["visualbasic", "vbnet"],
  ["objective-c", "objc"],
  ["standard ml", "sml"],
]);

function canonicalName(language: string): string {
  const name = language.trim().toLowerCase();
  return languages.get(name) ?? name;
}

import { Document, Element, isTag, Text } from "domhandler";
import type { ChildNode } from "domhandler";

/** Makes an element of HTML. Attributes that are undefined are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  children: readonly ChildNode[],
): Element {
  const attribs = Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return adopted(new Element(name, attribs), children);
}

/** Makes a text. */
export function text(data: string): Text {
  return new Text(data);
}

/** Makes the tree of a page: its title, and what stands below. */
export function page(title: string, children: readonly ChildNode[]): Document {
  const body = element("div", {}, [element("h1", {}, [text(title)]), ...children]);
  const root = new Document([body]);
  body.parent = root;
  return root;
}

/** A block of code, character by character, with the title that stands above it. */
export function codeBlock(code: string, language: string, title = ""): Element {
  // HTML drops one line end at either end.
  const pre = element("pre", { "data-language": knownAs(language) }, [text(`\n${code}\n`)]);
  if (title === "") return pre;
  return element("figure", {}, [element("figcaption", {}, [text(title)]), pre]);
}

/** A callout of a kind that Markdown has too. */
export function callout(kind: string, title: readonly ChildNode[], children: readonly ChildNode[]): Element {
  const heading = title.length === 0 ? [] : [element("p", { class: "admonition-title" }, title)];
  return element("div", { class: `admonition ${kind}` }, [...heading, ...children]);
}

/** What can be opened; without a title it is simply there. */
export function expandable(title: string, children: readonly ChildNode[]): Element {
  if (title === "") return element("div", {}, children);
  return element("details", {}, [element("summary", {}, [text(title)]), ...children]);
}

/** One task of a list of them. */
export function task(isDone: boolean, children: readonly ChildNode[]): Element {
  const box = element("input", { type: "checkbox", checked: isDone ? "" : undefined }, []);
  // The box stands before the first words.
  const [first, ...others] = children;
  if (first !== undefined && isTag(first) && first.name === "p")
    return element("li", {}, [element("p", {}, [box, ...first.children]), ...others]);
  return element("li", {}, [box, ...children]);
}

/** A link; without an address or a text of its own it is what it says. */
export function link(href: string | undefined, children: readonly ChildNode[]): readonly ChildNode[] {
  return href === undefined || href === "" ? children : [element("a", { href }, children)];
}

function adopted(parent: Element, children: readonly ChildNode[]): Element {
  parent.children = [...children];
  for (const [at, child] of parent.children.entries()) {
    child.parent = parent;
    child.prev = parent.children[at - 1] ?? null;
    child.next = parent.children[at + 1] ?? null;
  }
  return parent;
}

/** Names of languages as Confluence has them, where nobody else calls them so. */
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

function knownAs(language: string): string {
  const name = language.trim().toLowerCase();
  return languages.get(name) ?? name;
}

import type { ChildNode, Element } from "domhandler";
import { callout, codeBlock, element, expandable, text } from "./build.ts";
import { includedAt } from "./includes.ts";
import type { IncludeScope } from "./includes.ts";
import { includedBy } from "./names.ts";
import { childOf, macroName, parameter, textIn } from "./xml.ts";

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

/** Reads what stands in an element. */
type Inside = (element: Element, place: IncludeScope) => readonly ChildNode[];

/** What a macro shows, as HTML. What it makes of other pages, such as a table of contents, is left out. */
export function readMacro(macro: Element, place: IncludeScope, inside: Inside): readonly ChildNode[] {
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

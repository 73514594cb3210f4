import { isTag, type Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import { readCode } from "./code.ts";
import { placed, plainTextOf } from "./document.ts";
import { textOfLines, type TextLines } from "./lines.ts";
import { argumentOf, type Directive, type ReadDirective, type Reader } from "./reader.ts";

/** Reads the content of a directive, or other lines, into an element. */
export function inside({ scope, body }: Directive, into: Element, reader: Reader, lines: TextLines = body): Element {
  reader.blocks(lines, into, { ...scope, hasTitles: false, depth: scope.depth + 1 });
  return into;
}

/** A line in bold above its content. */
export const titledBlock: ReadDirective = (directive, into, reader) => {
  const { options } = directive;
  const made = placed("#titled", {}, directive.lines);
  const title = argumentOf(directive);
  const link = options.get("link") ?? "";
  reader.document.after(() => {
    made.attribs["title"] = plainTextOf(title, reader.document);
    if (/^https?:/.test(link)) made.attribs["to"] = link;
  });
  append(into, inside(directive, made, reader));
};

/** A card of sphinx-design, with a head above `^^^` and a foot below `+++`. */
export const card: ReadDirective = (directive, into, reader) => {
  const isLine = (sign: string, text: string): boolean =>
    text.startsWith(sign.repeat(3)) && text.trim() === sign.repeat(text.trim().length);
  const body = directive.body.map((line) =>
    isLine("^", line.text) || isLine("+", line.text) ? { ...line, text: "" } : line,
  );
  titledBlock({ ...directive, body }, into, reader);
};

/** A tab, in its group; consecutive ones without a group are one. */
function addTab(directive: Directive, tab: Element, into: Element): void {
  const last = into.children.at(-1);
  if (into.name === "#tabs") append(into, tab);
  else if (last !== undefined && isTag(last) && last.attribs["#open"] !== undefined) append(last, tab);
  else {
    const group = placed("#tabs", { "#open": "" }, directive.lines);
    append(group, tab);
    append(into, group);
  }
}

export const tab: ReadDirective = (directive, into, reader) => {
  const label = argumentOf(directive).replace(/:[\w-]+:`([^`<]*)(?:<[^`]*)?`/g, "$1");
  addTab(directive, inside(directive, placed("#tab", { label }, directive.lines), reader), into);
};

/** `code-tab:: c C/C++`: code in a tab. */
export const codeTab: ReadDirective = (directive, into, reader) => {
  const [language = "", ...words] = argumentOf(directive).split(/\s+/);
  const label = directive.options.get("title") ?? directive.options.get("caption") ?? (words.join(" ") || language);
  const made = placed("#tab", { label }, directive.lines);
  readCode(
    { ...directive, args: directive.args.slice(0, 1).map((line) => ({ ...line, text: language })) },
    made,
    reader,
  );
  addTab(directive, made, into);
};

/** Blocks of code that are tabs of one group. */
export const codeGroup: ReadDirective = (directive, into, reader) => {
  const group = placed("#tabs", {}, directive.lines);
  const all = inside(directive, element("div", {}, []), reader);
  for (const child of all.children)
    append(group, isTag(child) && child.name === "#tab" ? child : element("#tab", { label: "" }, [child]));
  append(into, group);
};

/** `button-link:: https://…` with the text as content. */
export const button: ReadDirective = (directive, into, { document }) => {
  const made = placed("p", {}, directive.lines);
  const address = argumentOf(directive);
  const text = textOfLines(directive.body).trim() || address;
  const anchor = element(/^https?:/.test(address) ? "a" : "span", { href: address }, []);
  document.later(anchor, text);
  append(made, anchor);
  append(into, made);
};

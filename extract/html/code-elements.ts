import { isTag, isText, type ChildNode, type Element } from "domhandler";
import { isDecoration, isLine, isShownAsBlock } from "./code.ts";
import { ancestorsOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";

/** Blocks of code without `<pre>`, which are told by the structure of their elements. */

const codes = new Set(["code", "tt", "samp", "kbd"]);
const preformatted = new Set(["listing", "xmp", "plaintext"]);
const inLine = new Set([...codes, ..."span a b i em strong u var font mark small big ins del sub sup abbr".split(" ")]);
/** Elements that hold lines of code. */
const ofLines = new Set("p div blockquote table tbody tr td li br wbr".split(" "));
const containers = new Set("div section figure ol ul p blockquote".split(" "));
/** Words in the names of classes and elements. */
const meansCode = new Set("code codeblock codehilite hljs verbatim snippet listing stt tt mono monospace".split(" "));

/** Makes `<pre>` of the elements that are blocks of code, except signatures. */
export function nameCode(main: readonly Element[], isSignature: (element: Element) => boolean): void {
  const open = [...main];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const { name } = element;
    if (name === "pre" || isSignature(element)) continue;
    if (isBlockOfCode(element)) {
      if (!isPreformatted(element) && !name.includes("-") && !keepsLines(element)) tidyLines(element);
      element.name = "pre";
    } else if (!codes.has(name)) {
      for (const child of elementsIn(element)) open.push(child);
    }
  }
}

/** Whether an element's text is preformatted; that of a field is if it cannot be changed. */
function isPreformatted({ name, attribs }: Element): boolean {
  return preformatted.has(name) || (name === "textarea" && attribs["readonly"] !== undefined);
}

function isBlockOfCode(element: Element): boolean {
  const { name } = element;
  if (isPreformatted(element)) return true;
  if (name === "table") return isTableOfLines(element);
  if (codes.has(name)) {
    const hasLines = keepsLines(element) || elementsIn(element).some((one) => one.name === "br");
    if (!isShownAsBlock(element) && !(hasLines && isApart(element))) return false;
    return ![...ancestorsOf(element, 2)].some((around) => /^t[dh]$/.test(around.name));
  }
  const isCustom = name.includes("-");
  if (!isCustom && !containers.has(name)) return false;
  const lines = elementsIn(element).filter((child) => !isDecoration(child));
  const isLined = lines.length > 1 && lines.every((line) => line.name !== "br" && isLine(line)) && !hasText(element);
  const isList = name === "ol" || name === "ul";
  const isNamed = saysCode(element);
  if (!isLined && (!isNamed || isList)) return false;
  const found = scan(
    isLined ? lines.flatMap((line) => (line.name === "pre" ? line.children : [line])) : element.children,
  );
  if (found === undefined || found.texts === 0) return false;
  if (isLined) return isNamed || lines.every(saysCode) || (found.inCode === found.texts && !isList);
  if (isCustom) return isApart(element) || textOf(element).trim().includes("\n");
  return found.breaks || found.blanks || keepsLines(element);
}

/** Whether each row of a table is one line, some with their numbers. These are removed. */
function isTableOfLines(table: Element): boolean {
  const { parent } = table;
  const isNamed = saysCode(table) || (parent !== null && isTag(parent) && saysCode(parent));
  const parts = elementsIn(table);
  const rows = parts.flatMap((part) => (/^t(?:head|body|foot)$/.test(part.name) ? elementsIn(part) : [part]));
  const lines: Element[] = [];
  for (const row of rows) {
    const cells = elementsIn(row);
    const line = cells.pop();
    if (row.name !== "tr" || line?.name !== "td") return false;
    const numbers = isNamed || saysCode(line) ? /^\d*$/ : /^$/;
    if (!cells.every((cell) => isDecoration(cell) || numbers.test(lineOf(cell, 12)))) return false;
    lines.push(line);
  }
  const found = scan(lines);
  if (found === undefined || found.texts === 0) return false;
  const { texts, inCode, linked, coloured, signs, blanks } = found;
  const isColoured = blanks && coloured === texts && signs * 4 >= texts && linked * 2 < texts;
  if (!isNamed && !lines.every(saysCode) && !isColoured && (inCode < texts || linked === texts)) return false;
  for (const line of lines) if (line.parent !== null) line.parent.children = [line];
  return true;
}

/** Counts texts by what they are in; undefined if there is other content than lines of code. */
function scan(nodes: readonly ChildNode[]) {
  const found = { texts: 0, inCode: 0, linked: 0, coloured: 0, signs: 0, blanks: false, breaks: false };
  const read = (node: ChildNode, isCode: boolean, isLinked: boolean, isColoured: boolean): boolean => {
    if (isBlank(node)) found.blanks ||= node.prev === null && node.next === null && isColoured;
    else if (isText(node)) {
      found.texts++;
      if (isCode) found.inCode++;
      if (isLinked) found.linked++;
      if (isColoured) found.coloured++;
      if (!/[\p{L}\p{N}]/u.test(node.data)) found.signs++;
    } else if (isTag(node) && !isDecoration(node)) {
      const { name, attribs, children } = node;
      if (name === "br") found.breaks = true;
      if (!inLine.has(name) && !ofLines.has(name)) return false;
      const coloured = isColoured || (inLine.has(name) && attribs["class"] !== undefined);
      return children.every((child) => read(child, isCode || codes.has(name), isLinked || name === "a", coloured));
    }
    return true;
  };
  return nodes.every((node) => read(node, false, false, false)) ? found : undefined;
}

/** Whether an element is code by its name, class or font. */
function saysCode({ name, attribs }: Element): boolean {
  const { style = "", class: classes = "" } = attribs;
  if (codes.has(name) || name === "pre" || /font-family\s*:[^;]*(?:mono|courier|consolas)/i.test(style)) return true;
  const words = `${name.includes("-") ? name : ""} ${classes}`.split(
    /[-_\s]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/,
  );
  return words.some((word) => meansCode.has(word.toLowerCase()));
}

/** Whether the line ends in an element's text are shown. */
function keepsLines(element: Element): boolean {
  const { style = "", class: classes = "" } = element.attribs;
  const isKept = /white-?space\s*[:-]\s*(?:pre|break-spaces)/i.test(`${style} ${classes}`);
  return isKept && textOf(element).trim().includes("\n");
}

/** Whether an element is in no sentence. */
function isApart({ parent, prev, next }: Element): boolean {
  const around = [parent, isBlank(prev) ? prev?.prev : prev, isBlank(next) ? next?.next : next];
  return !around.some((node) => node && (isText(node) || isInLine(node) || (isTag(node) && node.name === "br")));
}

function isInLine(node: ChildNode | Element["parent"]): boolean {
  return node !== null && isTag(node) && inLine.has(node.name);
}

function isBlank(node: ChildNode | null): boolean {
  return node !== null && isText(node) && node.data.trim() === "";
}

function hasText({ children }: Element): boolean {
  return children.some((child) => isText(child) && !isBlank(child));
}

/** Removes line ends from text that is not preformatted, where browsers show blanks or nothing. */
function tidyLines(element: Element): void {
  for (const { children } of [element, ...walk(element)])
    for (const child of children) {
      if (!isText(child)) continue;
      const { prev, next, parent } = child;
      const data = isBlank(child) && ![prev, next, parent].some(isInLine) ? "" : child.data;
      const tidy = (run: string, at: number): string => {
        if (!/[\r\n]/.test(run)) return run;
        return (at > 0 || isInLine(prev)) && (at + run.length < data.length || isInLine(next)) ? " " : "";
      };
      child.data = data.replace(/[ \t\r\n\f]+/g, tidy).replaceAll("\u00A0", " ");
    }
}

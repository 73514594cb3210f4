import type { Element } from "domhandler";
import { append } from "../tree/elements.ts";
import { codeElement } from "./code.ts";
import { paragraph, placed } from "./document.ts";
import { readExplicit } from "./explicit.ts";
import {
  dedent,
  endOfIndented,
  endOfText,
  indentOf,
  isBlank,
  textOfLines,
  trimBlank,
  wide,
  type Line,
  type TextLines,
} from "./lines.ts";
import { readFieldList, readLineBlock, readList, readOptionList } from "./lists.ts";
import type { Reader, Scope } from "./reader.ts";
import { readGridTable, readSimpleTable } from "./tables.ts";

/** Maximum depth of nested blocks; deeper ones are one paragraph, which keeps the cost linear. */
const maxDepth = 40;

const rule = /^([!-/:-@[-`{-~])\1*\s*$/;
const attribution = /^(?:---?(?!-)|\u2014)\s*(?=\S)/;

/** Reads the elements of a text (docutils, "reStructuredText Markup Specification"). Linear in the number of lines. */
export function readBlocks(lines: TextLines, into: Element, scope: Scope, reader: Reader): void {
  const { document } = reader;
  const inner: Scope = { ...scope, hasTitles: false, depth: scope.depth + 1 };
  if (scope.depth > maxDepth) {
    const text = trimBlank(lines);
    if (text.length > 0) append(into, paragraph(document, text, textOfLines(text)));
    return;
  }
  const nested = (block: TextLines, parent: Element): Element => {
    reader.blocks(block, parent, inner);
    return parent;
  };
  const heading = (at: number, end: number, style: string): number => {
    const title = lines[end - at === 3 ? at + 1 : at];
    const text = title?.text.trim() ?? "";
    const own = lines.slice(at, end);
    if (!scope.hasTitles) {
      const strong = placed("strong", {}, own);
      document.later(strong, text);
      append(into, placed("p", {}, own));
      append(into.children.at(-1) as Element, strong);
      return end;
    }
    if (!document.styles.includes(style)) document.styles.push(style);
    const made = placed(`h${Math.min(document.styles.indexOf(style) + 1, 6)}`, { id: document.idOf(text) }, own);
    document.define(text, "");
    document.later(made, text);
    document.nameSection(text);
    append(into, made);
    return end;
  };

  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as Line;
    if (isBlank(line)) at++;
    else if (indentOf(line) > 0) at = quote(at);
    else at = body(at, line.text.trimEnd());
  }

  function body(from: number, text: string): number {
    const first = text[0] ?? "";
    if (first === "." && /^\.\.(?:\s|$)/.test(text)) return readExplicit(lines, from, into, scope, reader);
    if (first === "_" && /^__(?:\s|$)/.test(text)) {
      document.defineAnonymous(text.slice(2).trim());
      return from + 1;
    }
    const end =
      readList(lines, from, into, nested) ??
      (first === ":" ? readFieldList(lines, from, into, nested, reader) : undefined) ??
      (/[-+/]/.test(first) ? readOptionList(lines, from, into, nested) : undefined) ??
      (first === ">" && /^>>>(?:\s|$)/.test(text) ? doctest(from) : undefined) ??
      (first === "|" && /^\|(?:\s|$)/.test(text) ? readLineBlock(lines, from, into, document) : undefined) ??
      (first === "+" && /^\+(?:-+\+)+$/.test(text) ? readGridTable(lines, from, into, nested) : undefined) ??
      (first === "=" && /^=+(?:\s+=+)+$/.test(text) ? readSimpleTable(lines, from, into, nested) : undefined) ??
      (rule.test(text) ? ruled(from, text) : undefined);
    if (end !== undefined) document.nameSection("");
    return end ?? words(from, text);
  }

  /** A title with a line above, or a transition; undefined for text. */
  function ruled(from: number, text: string): number | undefined {
    const [title, below] = [lines[from + 1], lines[from + 2]];
    if (!isBlank(title) && below?.text.trimEnd() === text && !rule.test(title?.text ?? ""))
      return heading(from, from + 3, `${text[0]}${text[0]}`);
    return text.length >= 4 && isBlank(title) ? from + 1 : undefined;
  }

  function doctest(from: number): number {
    const end = endOfText(lines, from);
    append(into, codeElement(lines.slice(from, end), { language: "python" }, document));
    return end;
  }

  function quote(from: number): number {
    const end = endOfIndented(lines, from);
    const block = dedent(trimBlank(lines.slice(from, end)));
    const last = block.findLastIndex((one, index) => attribution.test(one.text) && isBlank(block[index - 1]));
    const hasAttribution = last > 0 && block.slice(last + 1).every((one) => !isBlank(one));
    const made = nested(hasAttribution ? block.slice(0, last) : block, placed("blockquote", {}, block));
    if (hasAttribution) {
      const by = block.slice(last);
      append(made, paragraph(document, by, `— ${textOfLines(by).replace(attribution, "")}`));
    }
    // A list or code that is only indented is no quotation.
    const [only] = made.children as Element[];
    if (only !== undefined && /^(?:ul|ol|dl|#code|table)$/.test(only.name)) made.name = "div";
    append(into, made);
    return end;
  }

  /** A title, a definition, or a paragraph with the literal block after it. */
  function words(from: number, text: string): number {
    const below = lines[from + 1];
    const underline = below?.text.trimEnd() ?? "";
    if (
      rule.test(underline) &&
      (underline.length >= 4 || underline.length >= text.length + (text.match(wide)?.length ?? 0))
    )
      return heading(from, from + 2, underline[0] ?? "");
    if (below !== undefined && !isBlank(below) && indentOf(below) > 0) return definitions(from);
    document.nameSection("");
    let end = from + 1;
    while (end < lines.length && !isBlank(lines[end]) && indentOf(lines[end] as Line) === 0) end++;
    const own = lines.slice(from, end);
    const whole = textOfLines(own).trimEnd();
    if (!whole.endsWith("::") || whole.endsWith("\\::")) {
      append(into, paragraph(document, own, whole));
      return end;
    }
    const shown = /(?:^|\s)::$/.test(whole) ? whole.slice(0, -2).trimEnd() : whole.slice(0, -1);
    if (shown !== "") append(into, paragraph(document, own, shown));
    return literal(end);
  }

  /** The block of code after `::`: indented, or with the same sign before each line. */
  function literal(from: number): number {
    let start = from;
    while (start < lines.length && isBlank(lines[start])) start++;
    const first = lines[start];
    if (first === undefined) return start;
    let end = endOfIndented(lines, start);
    const sign = first.text[0] ?? "";
    if (end === start && /[!-/:-@[-`{-~]/.test(sign) && start > from) {
      end = start;
      while (end < lines.length && lines[end]?.text.startsWith(sign)) end++;
    }
    if (end > start)
      append(into, codeElement(dedent(lines.slice(start, end)), { language: document.highlight }, document));
    return end;
  }

  function definitions(from: number): number {
    const list = placed("dl", {}, lines.slice(from, from + 1));
    let next = from;
    for (;;) {
      const [term, below] = [lines[next], lines[next + 1]];
      if (term === undefined || below === undefined || isBlank(term) || isBlank(below)) break;
      if (indentOf(term) > 0 || indentOf(below) === 0 || /^(?:\.\.|__)(?:\s|$)/.test(term.text)) break;
      const end = endOfIndented(lines, next + 1);
      const name = placed("dt", {}, [term]);
      // A classifier follows the term.
      document.later(name, term.text.trim().replace(/\s:\s/g, " – "));
      append(list, name);
      append(list, nested(dedent(lines.slice(next + 1, end)), placed("dd", {}, lines.slice(next + 1, end))));
      next = end;
    }
    list.endIndex = lines[next - 1]?.at ?? null;
    append(into, list);
    return next;
  }
}

import type { Lines } from "../blocks.ts";
import type { Code, Inline, List, Node, Quote, Table, Terms } from "./nodes.ts";
import { writeInline, bold } from "./write-inline.ts";
import { writeTable } from "./write-table.ts";

/** A paragraph of a container, which may introduce code. */
export interface Lead {
  readonly lead: readonly Inline[];
  readonly lines: Lines | undefined;
}

/** Prose of a container, whose last piece has its paragraphs; a paragraph before code; or a block of code. */
export type Part =
  | { readonly markdown: string; readonly lines: Lines | undefined; readonly last: readonly Lead[] }
  | Lead
  | { readonly code: Code };

/** Deeper lists are not indented further. */
const maxIndent = 24;
/** Maximum number of paragraphs at either end of a list that may introduce code. */
const maxLeads = 10;

/** A list, quotation, table or list of terms as Markdown, split at its blocks of code. */
export function partsOf(container: List | Quote | Terms | Table): readonly Part[] {
  const parts: Part[] = [];
  let text: string[] = [];
  let first = Infinity;
  let last = 0;
  /** Replaces the indentation of the next line, once. */
  let marker: string | undefined;
  let leads: Lead[] = [];
  /** The text since the last code began within an item. */
  let isWithinItem = false;

  const flush = (ending: readonly Lead[] = []): void => {
    const markdown = undented(text);
    const lines = first <= last ? ([first, last] as const) : container.lines;
    if (markdown !== "") parts.push({ markdown, lines, last: ending });
    text = [];
    [first, last] = [Infinity, 0];
  };
  const write = (markdown: string, indent: string, lines: Lines | undefined): void => {
    if (markdown === "") return;
    if (lines !== undefined) [first, last] = [Math.min(first, lines[0]), Math.max(last, lines[1])];
    if (marker === undefined && text.length > 0 && !isBlank(text.at(-1)))
      text.push(indent.includes(">") ? indent.trimEnd() : "");
    for (const line of markdown.split("\n")) {
      text.push(`${marker ?? indent}${line}`.trimEnd());
      marker = undefined;
    }
  };
  /** Ends a marker without text on its line; one with a term is written on a line of its own. */
  const endMarker = (): void => {
    if (marker !== undefined && /[\p{L}\p{N}]{2}/u.test(marker)) text.push(marker.trimEnd());
    marker = undefined;
  };
  const item = (sign: string, indent: string, children: readonly Node[]): void => {
    if (isWithinItem && text.length > 0) text.push("");
    isWithinItem = false;
    marker = `${indent}${sign}`;
    content(children, indent.length >= maxIndent ? indent : indent + " ".repeat(sign.indexOf(" ") + 1));
    endMarker();
  };
  const content = (children: readonly Node[], indent: string): void => {
    for (const child of children) block(child, indent);
  };
  const block = (node: Node, indent: string): void => {
    switch (node.type) {
      case "paragraph": {
        const markdown = writeInline(node.children);
        if (markdown !== "") leads.push({ lead: node.children, lines: node.lines });
        return write(markdown, indent, node.lines);
      }
      case "heading":
        return write(bold(node.text), indent, node.lines);
      case "code":
        endMarker();
        flush();
        parts.push(...outermost(leads), { code: node });
        leads = [];
        isWithinItem = true;
        return;
      case "list":
        return list(node, indent);
      case "terms":
        return terms(node, indent);
      case "quote":
        endMarker();
        return content(node.children, `${indent.slice(0, maxIndent)}> `);
      case "table": {
        const { markdown, codes } = writeTable(node);
        write(markdown, indent, node.lines);
        for (const code of codes) block(code, indent);
        return;
      }
      case "callout":
        return content(labelled(node.label, node.children), indent);
      case "section":
        // The title of an item is its text.
        write(marker === undefined ? bold(node.title) : node.title, indent, node.lines);
        return content(node.children, indent);
      case "tab":
        return content(labelled(tabLabel(node.place.label), node.children), indent);
    }
  };
  const list = ({ start, items }: List, indent: string): void => {
    endMarker();
    for (const [at, { children, checked }] of items.entries())
      item(`${start === undefined ? "-" : `${start + at}.`} ${boxOf(checked)}`, indent, children);
  };
  const terms = ({ items }: Terms, indent: string): void => {
    endMarker();
    for (const { terms: names, children } of items) {
      const named = names
        .map((name) => writeInline(name).replaceAll("\n", " "))
        .filter((name) => name !== "")
        .map((name) => bold(name.replace(/(?<!\s)\s*:$/, "")));
      if (children.length > 0) item(named.length === 0 ? "- " : `- ${named.join(", ")}: `, indent, children);
      else for (const name of named) write(`- ${name}`, indent, undefined);
    }
  };

  block(container, "");
  flush(outermost(leads));
  return parts;
}

/** The box before an item; "" without. */
function boxOf(checked: boolean | undefined): string {
  return checked === undefined ? "" : checked ? "[x] " : "[ ] ";
}

/** What is in an item of a list that is written as sections: its first paragraph has its number and box. */
export function contentOf({ start, items }: List, at: number): readonly Node[] {
  const { children = [], checked } = items[at] ?? {};
  const [first, ...others] = children;
  const written = `${start === undefined ? "" : `${start + at}. `}${boxOf(checked)}`;
  if (first?.type !== "paragraph" || written === "") return children;
  return [{ ...first, children: [{ type: "words", text: "", written }, ...first.children] }, ...others];
}

/** The label of a tab before its words; "" without. */
export function tabLabel(label: string): string {
  return label === "" ? "" : `**${label.replaceAll("*", "")}:**`;
}

/** Blocks with a label before the first of them. */
function labelled(label: string, children: readonly Node[]): readonly Node[] {
  if (label === "") return children;
  const words: Inline = { type: "words", text: label.replace(/\*|:\**$/g, ""), written: label };
  const [one, ...others] = children;
  if (one?.type !== "paragraph") return [{ type: "paragraph", children: [words] }, ...children];
  const gap: Inline = { type: "words", text: " " };
  return [{ ...one, children: [words, gap, ...one.children] }, ...others];
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || !/[^\s>]/.test(line);
}

/** Joins lines, without the indentation of the first one and of less indented ones after it, and without empty ones at both ends. */
function undented(lines: readonly string[]): string {
  let width = Infinity;
  return lines
    .map((line) => {
      if (line !== "") width = Math.min(width, line.length - line.trimStart().length);
      return line.slice(width);
    })
    .join("\n")
    .trim();
}

/** The first and last paragraphs: the first may introduce a section, the last the code. */
function outermost(leads: readonly Lead[]): readonly Lead[] {
  return leads.length <= 2 * maxLeads ? leads : [...leads.slice(0, maxLeads), ...leads.slice(-maxLeads)];
}

/** Whether a list or table has a heading in it, but not in a table's head, which makes it a way to arrange sections. */
export function hasHeading(nodes: readonly Node[]): boolean {
  return nodes.some((node) => {
    if (node.type === "heading") return true;
    if (node.type === "list" || node.type === "terms") return node.items.some((one) => hasHeading(one.children));
    if (node.type === "table")
      return node.rows.slice(node.hasHead ? 1 : 0).some((row) => row.some((cell) => hasHeading(cell.children)));
    return "children" in node && node.type !== "paragraph" && node.type !== "quote" && hasHeading(node.children);
  });
}

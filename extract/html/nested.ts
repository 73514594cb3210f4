import { isTag, type ChildNode, type Element } from "domhandler";
import { inlineMarkdown, isInline, type Inline, type Contained } from "./inline.ts";
import { bold, tableOf, undented } from "./markdown.ts";
import { elementsIn, walk } from "./tree.ts";

/** The context for writing lists, quotations and tables as Markdown. */
export interface WritingContext {
  readonly inline: Inline;
  readonly contained: Contained;
  /** True for a block of code with its frame. */
  isCode(element: Element): boolean;
  /** True for an element to leave out, such as the texts of footnotes. */
  isLeftOut(element: Element): boolean;
  /** All paragraphs of a list or quotation may introduce the code after them, as in Markdown; absent: only the last one of the same item. */
  readonly everyLead?: true;
}

/** A paragraph of a container, which may introduce code. */
interface Lead {
  readonly lead: readonly ChildNode[];
}

/** Prose of a container, whose last piece has its paragraphs; a paragraph before code; or a block of code. */
export type Part = { readonly markdown: string; readonly last?: readonly Lead[] } | Lead | { readonly code: Element };

/** Deeper lists are not indented further. */
const maxIndent = 24;
/** Maximum number of paragraphs at either end of a list that may introduce code. */
const maxLeads = 10;

/** A list, quotation or list of terms as Markdown, split at its blocks of code. */
export function partsOf(container: Element, writing: WritingContext): readonly Part[] {
  const { inline, contained, everyLead } = writing;
  const parts: Part[] = [];
  let lines: string[] = [];
  /** Replaces the indentation of the next line, once. */
  let marker: string | undefined;
  let leads: Lead[] = [];

  const flush = (last: readonly Lead[] = []): void => {
    const markdown = undented(lines);
    if (markdown !== "") parts.push({ markdown, last });
    lines = [];
  };
  const write = (text: string, indent: string): void => {
    if (text === "") return;
    if (marker === undefined && lines.length > 0 && lines.at(-1) !== "") lines.push("");
    for (const line of text.split("\n")) {
      lines.push(`${marker ?? indent}${line}`.trimEnd());
      marker = undefined;
    }
  };
  /** Ends a marker without text on its line; one with a term is written on a line of its own. */
  const endMarker = (): void => {
    if (marker !== undefined && /[\p{L}\p{N}]{2}/u.test(marker)) lines.push(marker.trimEnd());
    marker = undefined;
  };
  const item = (sign: string, indent: string, nodes: readonly ChildNode[]): void => {
    if (everyLead !== true) leads = [];
    marker = `${indent}${sign}`;
    const deeper = indent.length >= maxIndent ? indent : indent + " ".repeat(sign.indexOf(" ") + 1);
    content(nodes, deeper);
    endMarker();
  };
  const content = (nodes: readonly ChildNode[], indent: string): void => {
    let run: ChildNode[] = [];
    const paragraph = (): void => {
      if (run.length === 0) return;
      const text = inlineMarkdown(run, inline);
      if (text !== "") {
        if (everyLead !== true) leads = [];
        leads.push({ lead: run });
      }
      write(text, indent);
      run = [];
    };
    for (const node of nodes) {
      if (isInline(node, contained.block)) run.push(node);
      else if (isTag(node)) {
        paragraph();
        block(node, indent);
      }
    }
    paragraph();
  };
  const block = (element: Element, indent: string): void => {
    const { name } = element;
    if (writing.isLeftOut(element)) return;
    if (writing.isCode(element)) {
      endMarker();
      flush();
      parts.push(...outermost(leads), { code: element });
      leads = [];
    } else if (name === "ul" || name === "ol" || name === "menu") list(element, indent);
    else if (name === "dl") terms(element, indent);
    else if (name === "blockquote") {
      endMarker();
      content(element.children, `${indent.slice(0, maxIndent)}> `);
    } else if (name === "table" && !contained.code(element)) write(tableMarkdown(element, writing), indent);
    else if (name === "hr") return;
    else if (/^h[1-6]$/.test(name)) write(bold(inlineMarkdown(element.children, inline)), indent);
    else content(element.children, indent);
  };
  const list = (element: Element, indent: string): void => {
    const start = Number.parseInt(element.attribs["start"] ?? "1", 10);
    let number = Number.isSafeInteger(start) ? start : 1;
    endMarker();
    for (const child of element.children) {
      if (!isTag(child)) continue;
      if (child.name !== "li") block(child, indent);
      else item(element.name === "ol" ? `${number++}. ` : "- ", indent, child.children);
    }
  };
  const terms = (element: Element, indent: string): void => {
    let names: string[] = [];
    endMarker();
    for (const child of termsIn(element)) {
      if (child.name === "dt") names.push(inlineMarkdown(child.children, inline).replaceAll("\n", " "));
      else {
        const named = names.filter((name) => name !== "").map((name) => bold(name.replace(/(?<!\s)\s*:$/, "")));
        item(named.length === 0 ? "- " : `- ${named.join(", ")}: `, indent, child.children);
        names = [];
      }
    }
    for (const name of names) write(`- ${bold(name)}`, indent);
  };

  block(container, "");
  flush(everyLead === true ? outermost(leads) : []);
  return parts;
}

/** The first and last paragraphs: the first may introduce a section, the last the code. */
function outermost(leads: readonly Lead[]): readonly Lead[] {
  return leads.length <= 2 * maxLeads ? leads : [...leads.slice(0, maxLeads), ...leads.slice(-maxLeads)];
}

/** The terms and descriptions of a list, which may be grouped in `<div>`. */
function termsIn(list: Element): Element[] {
  return elementsIn(list)
    .flatMap((child) => (child.name === "div" ? elementsIn(child) : [child]))
    .filter(({ name }) => name === "dt" || name === "dd");
}

/** A table in GitHub's Markdown. A cell that spans several columns is written in the first. */
export function tableMarkdown(table: Element, writing: WritingContext): string {
  const rows: string[][] = [];
  let headed = false;
  for (const row of walk(table, ({ name }) => /^(?:table|thead|tbody|tfoot)$/.test(name))) {
    if (row.name !== "tr") continue;
    const cells = elementsIn(row).filter(({ name }) => name === "td" || name === "th");
    if (rows.length === 0) headed = cells.some(({ name }) => name === "th");
    rows.push(
      cells.flatMap((cell) => {
        const span = Math.min(Number.parseInt(cell.attribs["colspan"] ?? "1", 10) || 1, 20);
        return [cellText(cell, writing), ...Array.from({ length: Math.max(0, span - 1) }, () => "")];
      }),
    );
  }
  return tableOf(rows, headed);
}

/** The content of a cell on one line. */
function cellText(cell: Element, { inline, contained, isLeftOut }: WritingContext): string {
  const texts: string[] = [];
  const read = (nodes: readonly ChildNode[]): void => {
    let run: ChildNode[] = [];
    const end = (): void => {
      const text = inlineMarkdown(run, inline);
      if (text !== "") texts.push(text);
      run = [];
    };
    for (const node of nodes) {
      if (isInline(node, contained.block)) run.push(node);
      else if (isTag(node) && !isLeftOut(node)) {
        end();
        if (node.name === "li" && texts.length > 0) texts.push(";");
        read(node.children);
      }
    }
    end();
  };
  read(cell.children);
  return texts.join(" ").replaceAll(" ; ", "; ").replaceAll("\n", " ").replaceAll("|", "\\|").replace(/^; /, "");
}

import { isTag } from "domhandler";
import type { ChildNode, Element } from "domhandler";
import { inlineMarkdown, isInline } from "./inline.ts";
import type { Inline, Contained } from "./inline.ts";
import { bold, tableOf, undented } from "./markdown.ts";
import { elementsIn, walk } from "./tree.ts";

/** What lists, quotations and tables are written with. */
export interface Writing {
  readonly inline: Inline;
  readonly contained: Contained;
  /** True for an element that is a block of code with what belongs to it. */
  isCode(element: Element): boolean;
  /** True for what is left out, such as the texts of footnotes. */
  isLeftOut(element: Element): boolean;
  /** Each paragraph of a list or quotation may lead to the code behind it, as in Markdown; absent: the one before it in the same item. */
  readonly everyLead?: true;
}

/** A paragraph of a container, which may lead to code. */
interface Lead {
  readonly lead: readonly ChildNode[];
}

/** Prose of a container, with the paragraphs that stand in the last piece of it; a paragraph before code; or a block of code. */
export type Part = { readonly markdown: string; readonly last?: readonly Lead[] } | Lead | { readonly code: Element };

/** Deeper lists are not indented further. */
const maxIndent = 24;
/** Maximum number of paragraphs at either end of a list that are looked at for what introduces code. */
const maxLeads = 10;

/** A list, quotation or list of terms as Markdown, taken apart at the code in it. */
export function partsOf(container: Element, writing: Writing): readonly Part[] {
  const { inline, contained, everyLead } = writing;
  const parts: Part[] = [];
  let lines: string[] = [];
  /** What the next line begins with instead of its indentation. */
  let marker: string | undefined;
  let leads: Lead[] = [];

  const flush = (last: readonly Lead[] = []): void => {
    const markdown = undented(lines);
    if (markdown !== "") parts.push({ markdown, last });
    lines = [];
  };
  const say = (text: string, indent: string): void => {
    if (text === "") return;
    if (marker === undefined && lines.length > 0 && lines.at(-1) !== "") lines.push("");
    for (const line of text.split("\n")) {
      lines.push(`${marker ?? indent}${line}`.trimEnd());
      marker = undefined;
    }
  };
  /** A term stands above what follows it, the sign of an item alone says nothing. */
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
      say(text, indent);
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
    } else if (name === "table" && !contained.code(element)) say(tableMarkdown(element, writing), indent);
    else if (name === "hr") return;
    else if (/^h[1-6]$/.test(name)) say(bold(inlineMarkdown(element.children, inline)), indent);
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
    for (const name of names) say(`- ${bold(name)}`, indent);
  };

  block(container, "");
  flush(everyLead === true ? outermost(leads) : []);
  return parts;
}

/** The paragraphs that anything is made of: the first ones may introduce a section, the last ones lead to code. */
function outermost(leads: readonly Lead[]): readonly Lead[] {
  return leads.length <= 2 * maxLeads ? leads : [...leads.slice(0, maxLeads), ...leads.slice(-maxLeads)];
}

/** Terms and what is said of them, which may stand in groups. */
function termsIn(list: Element): Element[] {
  return elementsIn(list)
    .flatMap((child) => (child.name === "div" ? elementsIn(child) : [child]))
    .filter(({ name }) => name === "dt" || name === "dd");
}

/** A table in GitHub's Markdown; cells are a line each, and what spans several columns stands in the first. */
export function tableMarkdown(table: Element, writing: Writing): string {
  const rows: string[][] = [];
  let headed = false;
  for (const row of walk(
    table,
    ({ name }) => name === "table" || name === "thead" || name === "tbody" || name === "tfoot",
  )) {
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

/** What a cell says, on one line. */
function cellText(cell: Element, { inline, contained, isLeftOut }: Writing): string {
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

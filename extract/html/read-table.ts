import { isTag, type ChildNode, type Element } from "domhandler";
import { lined } from "../tree/elements.ts";
import type { Cell, Node } from "../tree/nodes.ts";
import { labelsIn } from "./icons.ts";

/** Maximum number of rows or columns that one cell spans. */
const maxSpan = 1000;

/** How the reader of the page reads what is in a table. */
interface Reader {
  flow(nodes: readonly ChildNode[]): readonly Node[];
  element(element: Element): readonly Node[];
  isCode(element: Element): boolean;
}

/** Reads a table, after its caption and other content outside of its cells. */
export function readTable(node: Element, { flow, element, isCode }: Reader): readonly Node[] {
  const rows: Cell[][] = [];
  /** The caption, code that takes a whole row, and misplaced content. */
  const beside: Node[] = [];
  let hasHead = false;
  // A table may have more than a call takes arguments.
  const addAll = (nodes: readonly Node[]): void => {
    for (const one of nodes) beside.push(one);
  };
  const read = (parent: Element): void => {
    const rest: ChildNode[] = [];
    const cells: Element[] = [];
    for (const child of parent.children) {
      if (isTag(child) && /^t(?:d|h)$/.test(child.name)) cells.push(child);
      else if (!isTag(child) || isCode(child)) rest.push(child);
      else if (/^t(?:head|body|foot|r)$/.test(child.name)) read(child);
      else if (child.name === "caption") addAll(flow(child.children));
      else if (child.name !== "colgroup" && child.name !== "col") rest.push(child);
    }
    addAll(flow(rest));
    if (cells.length === 0) return;
    if (rows.length === 0) hasHead = cells.some(({ name }) => name === "th");
    const row = cells.map((cell) => ({
      children: element(cell),
      columns: span(cell, "colspan"),
      rows: span(cell, "rowspan"),
    }));
    const hasText = row.some(({ children }) => children.length > 0);
    rows.push(
      row.map((one, at) => {
        const cell = cells[at];
        const text = hasText && one.children.length === 0 && cell !== undefined ? labelsIn(cell) : "";
        return text === "" ? one : { ...one, children: [{ type: "paragraph", children: [{ type: "words", text }] }] };
      }),
    );
  };
  read(node);
  return rows.length === 0 ? beside : [...beside, { type: "table", hasHead, rows, ...lined(node) }];
}

function span({ attribs }: Element, name: string): number {
  return Math.min(Math.max(Number.parseInt(attribs[name] ?? "1", 10) || 1, 1), maxSpan);
}

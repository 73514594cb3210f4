import type { Cell, Code, Inline, Node, Table } from "./nodes.ts";
import { writeInline, bold, codeSpan } from "./write-inline.ts";

/** Maximum number of columns; the last one takes the text of further ones. */
const maxColumns = 50;
/** Maximum number of rows or columns that one cell spans. */
const maxSpan = 1000;

/** A table in GitHub's Markdown, "" if it is empty, and the blocks of code in its cells that have more than one line. */
export function writeTable({ rows, hasHead }: Table): { readonly markdown: string; readonly codes: readonly Code[] } {
  const codes: Code[] = [];
  const texts = spread(rows).map((row) => row.map((cell) => (cell === undefined ? "" : cellText(cell, codes))));
  return { markdown: tableOf(texts, hasHead), codes };
}

/** The rows with an empty place in each further row and column that a cell spans. */
function spread(rows: readonly (readonly Cell[])[]): (Cell | undefined)[][] {
  /** The number of further rows that a cell above spans, by column. */
  const taken: number[] = [];
  return rows.map((row) => {
    const places: (Cell | undefined)[] = [];
    const skip = (): void => {
      while ((taken[places.length] ?? 0) > 0) {
        taken[places.length] = (taken[places.length] ?? 0) - 1;
        places.push(undefined);
      }
    };
    for (const cell of row) {
      skip();
      for (let column = 0; column < Math.min(cell.columns, maxColumns); column++) {
        if (column > 0) skip();
        taken[places.length] = Math.min(cell.rows, maxSpan) - 1;
        places.push(column === 0 ? cell : undefined);
      }
    }
    skip();
    return places;
  });
}

/** A table in GitHub's Markdown, without empty rows; "" if all are empty. */
function tableOf(rows: readonly (readonly string[])[], hasHead: boolean): string {
  const isFilled = (row: readonly string[]): boolean => row.some((cell) => cell !== "");
  const cut = rows.map((row) =>
    row.length <= maxColumns ? row : [...row.slice(0, maxColumns - 1), row.slice(maxColumns - 1).join(" ")],
  );
  const width = cut.reduce((most, row) => Math.max(most, row.length), 0);
  if (!cut.some(isFilled)) return "";
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`;
  const [head = [], ...body] = hasHead ? cut : [[], ...cut];
  return [line(head), `|${" --- |".repeat(width)}`, ...body.filter(isFilled).map(line)].join("\n");
}

/** The content of a cell on one line; code of several lines goes to `codes`. */
function cellText(cell: Cell, codes: Code[]): string {
  const [only] = cell.children;
  const text =
    cell.children.length === 1 && only?.type === "paragraph"
      ? writeInline(only.children)
      : textOf(cell.children, codes);
  return text.replaceAll("\n", " ").replace(/(?<!\\)\|/g, "\\|");
}

function textOf(nodes: readonly Node[], codes: Code[]): string {
  const names = (inline: readonly Inline[]): string => bold(writeInline(inline));
  const texts = nodes.map((node): string => {
    switch (node.type) {
      case "paragraph":
        return writeInline(node.children);
      case "heading":
        return bold(node.text);
      case "code":
        if (!node.code.trim().includes("\n")) return codeSpan(node.code.trim());
        codes.push(node);
        return "";
      case "list":
        return node.items.map((item) => textOf(item.children, codes)).join("; ");
      case "terms":
        return node.items
          .map(({ terms, children }) =>
            [terms.map(names).join(", "), textOf(children, codes)].filter((one) => one !== "").join(": "),
          )
          .join("; ");
      case "table":
        return node.rows.map((row) => row.map((cell) => textOf(cell.children, codes)).join(" ")).join("; ");
      case "callout":
        return `${node.label} ${textOf(node.children, codes)}`;
      case "section":
        return `${bold(node.title)} ${textOf(node.children, codes)}`;
      case "quote":
      case "tab":
        return textOf(node.children, codes);
    }
  });
  return texts.filter((one) => one !== "").join(" ");
}

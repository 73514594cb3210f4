import type { Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import { codeElement } from "./code.ts";
import { placed } from "./document.ts";
import { dedent, isBlank, trimBlank, wide, type Line, type TextLines } from "./lines.ts";
import type { Nested } from "./reader.ts";

/** A cell of a drawn table: its content, and how many columns and rows it takes. */
interface Cell {
  readonly block: TextLines;
  readonly columns: number;
  readonly rows: number;
}

/** Maximum size of a drawn table, in lines and columns, and of the steps to find its cells; a larger one is shown as it is. */
const maxLines = 3000;
const maxWidth = 2000;
const maxSteps = 5_000_000;

/** Takes the second column of a wide character. */
const filler = "\u0001";

/** The lines with one character for each column. */
function inColumns(lines: TextLines): TextLines {
  return lines.map((line) => ({ ...line, text: line.text.trimEnd().replace(wide, `$&${filler}`) }));
}

function withoutFiller(lines: TextLines): TextLines {
  return lines.map((line) => (line.text.includes(filler) ? { ...line, text: line.text.replaceAll(filler, "") } : line));
}

/** Adds a table to an element. */
export function addTable(
  rows: readonly (readonly Cell[])[],
  { heads, own, nested }: { readonly heads: number; readonly own: TextLines; readonly nested: Nested },
  into: Element,
): void {
  const table = placed("table", {}, own);
  for (const [index, row] of rows.entries()) {
    const cells = row.map(({ block, columns, rows: height }) => {
      const spans = {
        colspan: columns > 1 ? String(columns) : undefined,
        rowspan: height > 1 ? String(height) : undefined,
      };
      return nested(dedent(trimBlank(withoutFiller(block))), placed(index < heads ? "th" : "td", spans, own));
    });
    append(table, element("tr", {}, cells));
  }
  append(into, table);
}

/** Shows a drawing that is no table as it is. */
function addDrawing(own: TextLines, into: Element): void {
  append(into, codeElement(own, { language: "text" }, { newline: "\n" }));
}

/** Reads a table drawn with `+`, `-` and `|`. */
export function readGridTable(lines: TextLines, at: number, into: Element, nested: Nested): number {
  let end = at;
  while (end < lines.length && /^[+|]/.test(lines[end]?.text ?? "")) end++;
  const own = lines.slice(at, end);
  const drawn = inColumns(own);
  const width = drawn[0]?.text.length ?? 0;
  const parts = own.length > maxLines || width > maxWidth ? undefined : gridCells(drawn, width);
  if (parts === undefined) addDrawing(own, into);
  else addTable(parts.rows, { heads: parts.heads, own, nested }, into);
  return end;
}

/** The cells of a grid, found from corner to corner as docutils does; undefined for a malformed one. */
function gridCells(lines: TextLines, width: number) {
  const texts = lines.map(({ text }) => text.padEnd(width));
  const height = texts.length;
  const separator = texts.findIndex((text) => /^\+(?:=+\+)+$/.test(text.trimEnd()));
  const grid = texts.map((text) => (/^\+[=+]+$/.test(text.trimEnd()) ? text.replaceAll("=", "-") : text));
  const sign = (row: number, column: number): string => grid[row]?.[column] ?? "";
  const found: { readonly top: number; readonly left: number; readonly bottom: number; readonly right: number }[] = [];
  const done = Array.from({ length: width }, () => 0);
  const corners: (readonly [number, number])[] = [[0, 0]];
  let steps = 0;
  /** The opposite corner of the cell at a corner. */
  const cellAt = (top: number, left: number): readonly [number, number] | undefined => {
    for (let right = left + 1; right < width; right++) {
      const above = sign(top, right);
      if (above !== "+" && above !== "-") return undefined;
      if (above !== "+") continue;
      for (let bottom = top + 1; bottom < height; bottom++) {
        if (++steps > maxSteps) return undefined;
        const beside = sign(bottom, right);
        if (beside !== "+" && beside !== "|") break;
        if (beside !== "+" || sign(bottom, left) !== "+") continue;
        let column = right - 1;
        while (column > left && (sign(bottom, column) === "-" || sign(bottom, column) === "+")) column--;
        let row = bottom - 1;
        while (row > top && (sign(row, left) === "|" || sign(row, left) === "+")) row--;
        steps += right - left + bottom - top;
        if (column === left && row === top) return [bottom, right];
      }
    }
    return undefined;
  };
  for (let corner = corners.pop(); corner !== undefined; corner = corners.pop()) {
    const [top, left] = corner;
    if (top >= height - 1 || left >= width - 1 || (done[left] ?? 0) > top) continue;
    const opposite = cellAt(top, left);
    if (steps > maxSteps) return undefined;
    if (opposite === undefined) continue;
    const [bottom, right] = opposite;
    for (let column = left; column < right; column++) done[column] = bottom;
    found.push({ top, left, bottom, right });
    corners.push([top, right], [bottom, left]);
    steps += corners.length;
    corners.sort(([row, column], [otherRow, otherColumn]) => otherRow - row || otherColumn - column);
  }
  if (found.length === 0) return undefined;
  const edges = [...new Set(found.map(({ left }) => left))].toSorted((one, other) => one - other);
  const tops = [...new Set(found.map(({ top }) => top))].toSorted((one, other) => one - other);
  const between = (all: readonly number[], from: number, to: number): number =>
    all.filter((one) => one >= from && one < to).length;
  if (found.length * (edges.length + tops.length) > 10 * maxSteps) return undefined;
  const byTop = Map.groupBy(found, ({ top }) => top);
  const rows = tops.map((own) =>
    (byTop.get(own) ?? [])
      .toSorted((one, other) => one.left - other.left)
      .map(({ top, left, bottom, right }): Cell => {
        const block = lines
          .slice(top + 1, bottom)
          .map((line): Line => ({ ...line, text: line.text.slice(left + 1, right).trimEnd() }));
        return { block, columns: between(edges, left, right), rows: between(tops, top, bottom) };
      }),
  );
  return { rows, heads: separator < 0 ? 0 : between(tops, 0, separator) };
}

/** Reads a table whose columns are under runs of `=`. */
export function readSimpleTable(lines: TextLines, at: number, into: Element, nested: Nested): number {
  const border = /^=+(?:\s+=+)*\s*$/;
  const length = lines[at]?.text.trimEnd().length ?? 0;
  let end = at + 1;
  let borders = 1;
  for (; end < lines.length && end - at < maxLines; end++) {
    const text = lines[end]?.text.trimEnd() ?? "";
    if (!border.test(text) || text.length !== length) continue;
    borders++;
    if (borders === 3 || isBlank(lines[end + 1])) break;
  }
  const own = lines.slice(at, Math.min(end + 1, lines.length));
  if (borders < 2 || end >= lines.length) {
    let close = at;
    while (close < lines.length && !isBlank(lines[close])) close++;
    addDrawing(lines.slice(at, close), into);
    return close;
  }
  const drawn = inColumns(own);
  const columns = spansIn(drawn[0]?.text ?? "", "=");
  const rows: (readonly Cell[])[] = [];
  let heads = 0;
  let open: Line[] = [];
  const close = (spans: readonly (readonly [number, number])[]): void => {
    const block = open;
    open = [];
    if (block.every((line) => isBlank(line))) return;
    rows.push(
      spans.map(([from, to]): Cell => {
        const last = to >= (columns.at(-1)?.[1] ?? 0);
        return {
          block: block.map((line) => ({ ...line, text: line.text.slice(from, last ? undefined : to).trimEnd() })),
          columns: columns.filter(([start]) => start >= from && start < to).length,
          rows: 1,
        };
      }),
    );
  };
  const [, firstEnd = 0] = columns[0] ?? [];
  for (const line of drawn.slice(1)) {
    if (border.test(line.text) && line.text.length === length) {
      close(columns);
      if (heads === 0 && line !== drawn.at(-1)) heads = rows.length;
    } else if (/^-+(?:\s+-+)*$/.test(line.text) && line.text.length >= firstEnd && open.length > 0) {
      close(spansIn(line.text, "-"));
    } else if (line.text.slice(0, firstEnd).trim() === "") open.push(line);
    else {
      close(columns);
      open.push(line);
    }
  }
  close(columns);
  addTable(rows, { heads, own, nested }, into);
  return end + 1;
}

/** The columns under runs of a sign. */
function spansIn(text: string, sign: string): readonly (readonly [number, number])[] {
  return [...text.matchAll(sign === "=" ? /=+/g : /-+/g)].map(
    ({ index, 0: run }) => [index, index + run.length] as const,
  );
}

/** The rows of comma-separated values; a quoted value may have several lines. Linear. */
export function csvRows(
  lines: TextLines,
  separator: string,
  quote = '"',
  escape = "",
): readonly (readonly TextLines[])[] {
  const rows: TextLines[][] = [];
  let row: TextLines[] = [];
  let cell: Line[] = [];
  let isQuoted = false;
  for (const line of lines) {
    let text = "";
    if (!isQuoted && isBlank(line)) continue;
    for (let at = 0; at < line.text.length; at++) {
      const char = line.text[at] ?? "";
      if (escape !== "" && char === escape) text += line.text[++at] ?? "";
      else if (isQuoted && char === quote && line.text[at + 1] === quote) text += line.text[++at] ?? "";
      else if (char === quote && (isQuoted || text.trim() === "")) isQuoted = !isQuoted;
      else if (char === separator && !isQuoted) {
        row.push([...cell, { ...line, text: text.trim() }]);
        [cell, text] = [[], ""];
      } else text += char;
    }
    cell.push({ ...line, text: cell.length === 0 ? text.trimStart() : text });
    if (isQuoted) continue;
    rows.push([...row, cell]);
    [row, cell] = [[], []];
  }
  if (row.length + cell.length > 0) rows.push([...row, cell]);
  return rows;
}

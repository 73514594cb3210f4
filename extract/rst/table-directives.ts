import type { Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import { placed } from "./document.ts";
import { isBlank, type TextLines } from "./lines.ts";
import { bulletItems } from "./lists.ts";
import { inside } from "./panels.ts";
import { argumentOf, type Directive, type ReadDirective, type Reader } from "./reader.ts";
import { addTable, csvRows } from "./tables.ts";

/** The title of a table, before it. */
function addCaption(directive: Directive, into: Element, { document }: Reader): void {
  const title = argumentOf(directive);
  if (title === "") return;
  const made = placed("p", {}, directive.lines.slice(0, 1));
  const strong = element("strong", {}, []);
  append(made, strong);
  document.later(strong, title);
  append(into, made);
}

/** `table`: a table of the page with a title. */
export const readTitledTable: ReadDirective = (directive, into, reader) => {
  addCaption(directive, into, reader);
  inside(directive, into, reader);
};

function addRows(
  rows: readonly (readonly TextLines[])[],
  heads: number,
  directive: Directive,
  into: Element,
  reader: Reader,
): void {
  addCaption(directive, into, reader);
  if (rows.length === 0) return;
  const cells = rows.map((row) => row.map((block) => ({ block, columns: 1, rows: 1 })));
  addTable(
    cells,
    { heads, own: directive.lines, nested: (block, parent) => inside(directive, parent, reader, block) },
    into,
  );
}

/** `list-table`: a list with a list for each row. */
export const readListTable: ReadDirective = (directive, into, reader) => {
  const heads = Number(directive.options.get("header-rows") ?? 0) || 0;
  addRows(
    bulletItems(directive.body).map((row) => bulletItems(row)),
    heads,
    directive,
    into,
    reader,
  );
};

/** `csv-table`: comma-separated values, on the page or in a file. */
export const readCsvTable: ReadDirective = (directive, into, reader) => {
  const { options, body } = directive;
  const file = options.has("file")
    ? reader.include({
        ...directive,
        args: directive.lines.slice(0, 1).map(({ at }) => ({ text: options.get("file") ?? "", at })),
      })
    : undefined;
  const lines = file?.lines ?? body;
  const written = options.get("delim") ?? ",";
  const separator = written === "tab" ? "\t" : written === "space" ? " " : written.slice(0, 1);
  const values = (source: TextLines) =>
    csvRows(source, separator, options.get("quote")?.slice(0, 1), options.get("escape")?.slice(0, 1));
  const header = options.get("header");
  const head = header === undefined ? [] : values(directive.lines.slice(0, 1).map(({ at }) => ({ text: header, at })));
  const heads = head.length + (Number(options.get("header-rows") ?? 0) || 0);
  addRows(
    [...head, ...values(lines.filter((line) => !isBlank(line) || lines !== body))],
    heads,
    directive,
    into,
    reader,
  );
};

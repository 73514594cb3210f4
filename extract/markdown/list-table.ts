import { Text, type Element } from "domhandler";
import { elementsIn, walk } from "../html/tree.ts";
import { element } from "../tree/elements.ts";

/** Makes the containers `#list-table` of a page tables: each item of the list in one is a row, each item of the list in it a cell. */
export function makeTables(root: Element): void {
  for (const one of walk(root)) {
    if (one.name !== "#list-table") continue;
    const { title = "", header = "" } = one.attribs;
    const list = elementsIn(one).find(isList);
    const rows = list === undefined ? [] : elementsIn(list);
    one.name = "div";
    if (list === undefined || !rows.every((row) => elementsIn(row).length > 0 && elementsIn(row).every(isList)))
      continue;
    list.name = "table";
    for (const [index, row] of rows.entries()) {
      row.name = "tr";
      row.children = elementsIn(row).flatMap((cells) => cells.children);
      for (const cell of elementsIn(row)) cell.name = index < Number(header) ? "th" : "td";
    }
    if (title !== "") one.children.unshift(element("p", {}, [element("strong", {}, [new Text(title)])]));
  }
}

function isList({ name }: Element): boolean {
  return name === "ul" || name === "ol";
}

import { isTag, Text, type ChildNode, type Element } from "domhandler";
import { elementsIn, textOf, walk } from "../html/tree.ts";
import { append, element } from "../tree/elements.ts";

/** Gives the containers whose content has a meaning by its place their elements. */
export function shapeContainers(root: Element): void {
  for (const one of walk(root)) {
    if (one.name === "#list-table") toTable(one);
    else if (one.name === "#tabset") toTabs(one);
    else if (one.name === "MarkdocTable") toRows(one);
  }
}

/** Each item of the list in it is a row, each item of the list in that one a cell. */
function toTable(container: Element): void {
  const { title = "", header = "" } = container.attribs;
  const list = elementsIn(container).find(isList);
  const rows = list === undefined ? [] : elementsIn(list);
  container.name = "div";
  if (list === undefined || !rows.every((row) => elementsIn(row).length > 0 && elementsIn(row).every(isList))) return;
  list.name = "table";
  for (const [index, row] of rows.entries()) {
    row.name = "tr";
    row.children = elementsIn(row).flatMap((cells) => cells.children);
    for (const cell of elementsIn(row)) cell.name = index < Number(header) ? "th" : "td";
  }
  if (title !== "") container.children.unshift(element("p", {}, [element("strong", {}, [new Text(title)])]));
}

/** Each list in it, between lines, is a row, and each item of a list a cell; the first row is the head (Markdoc, "Tables"). */
function toRows(container: Element): void {
  container.name = "div";
  const rows = elementsIn(container).filter(isList);
  if (elementsIn(container).some((child) => !isList(child) && child.name !== "hr")) return;
  container.name = "table";
  container.children = rows;
  for (const [index, row] of rows.entries()) {
    row.name = "tr";
    for (const cell of elementsIn(row)) cell.name = index === 0 ? "th" : "td";
  }
}

function isList({ name }: Element): boolean {
  return name === "ul" || name === "ol";
}

/** What follows a heading of its first level is the tab of that name. */
function toTabs(container: Element): void {
  const level = elementsIn(container).find(({ name }) => /^h[1-6]$/.test(name))?.name;
  const { children } = container;
  container.name = "#tabs";
  container.children = [];
  let tab: Element = container;
  const isTab = (child: ChildNode): child is Element => isTag(child) && child.name === level;
  for (const child of children) {
    if (isTab(child)) append(container, (tab = element("#tab", { label: textOf(child).trim() }, [])));
    else append(tab, child);
  }
}

import { Element, Text, isTag } from "domhandler";
import type { ChildNode, Document } from "domhandler";
import { ancestorsOf, classesOf, elementsIn, lineOf, removeAll, textOf, walk } from "./tree.ts";

/** Rows of a summary are named after the member that they summarise. */
const summaryRow = /^mem(?:item|desc|TemplParams|TemplItem):(\w+)$/;
/** Tables of names and what is said of them. */
const parameters = new Set(["params", "tparams", "retval", "exception"]);
/** Elements that are looked at to find one that stands near the start of another. */
const maxLooked = 100;
const fromFiles = /^The documentation for this .{1,40} (?:was|were) generated from/;

/**
 * Makes elements of what Doxygen (1.8 and later) has classes for: fragments of code are `<pre>`, titles headings. What it says twice stays once,
 * where it says more: rows of summaries go whose members are described on the page, and the brief that the detailed description repeats.
 */
export function adaptDoxygen(page: Document): void {
  const elements = [...walk(page)];
  const described = new Set<string>();
  for (const { attribs } of walk(page, (one) => !isSummary(one)))
    if (attribs["id"] !== undefined) described.add(attribs["id"]);
  const gone = new Set<ChildNode>();
  /** Tables of members that are described nowhere else. */
  const telling = new Set<Element>();
  for (const element of elements) {
    const classes = classesOf(element);
    if (element.name === "tr") {
      const member = classes.map((one) => summaryRow.exec(one)?.[1]).find((one) => one !== undefined);
      if (member === undefined || classes.includes("inherit")) continue;
      if (described.has(member)) gone.add(element);
      else for (const table of ancestorsOf(element, 3)) telling.add(table);
    } else if (element.name === "table" && classes.some((one) => parameters.has(one))) toTerms(element);
    else if (classes.includes("fragment") && element.name === "div") element.name = "pre";
    else if (classes.includes("title") && isIn(element, "headertitle")) element.name = "h1";
    else if (element.name === "h2" && classes.includes("memtitle")) element.name = "h3";
    else if (classes.includes("memitem")) entitle(element);
    else if (classes.includes("contents")) for (const node of repeatedIn(element)) gone.add(node);
  }
  for (const element of elements) {
    if (!isSummary(element)) continue;
    if (telling.has(element)) openSummary(element);
    else gone.add(element);
  }
  removeAll([...gone]);
}

function isSummary(element: Element): boolean {
  return element.name === "table" && classesOf(element).includes("memberdecls");
}

/** The first of such elements in another one, near its start. */
function within(element: Element, isMeant: (one: Element) => boolean): Element | undefined {
  let looked = 0;
  for (const one of walk(element)) {
    if (isMeant(one)) return one;
    if (looked++ > maxLooked) return undefined;
  }
  return undefined;
}

/** The heading of a summary stands above its table. */
function openSummary(table: Element): void {
  const [first] = elementsIn(table);
  const title = first === undefined ? undefined : within(first, ({ name }) => name === "h2");
  if (first === undefined || title === undefined || !classesOf(first).includes("heading")) return;
  const rows = new Element(
    "table",
    {},
    table.children.filter((child) => child !== first),
  );
  for (const row of rows.children) row.parent = rows;
  for (const child of [title, rows]) child.parent = table;
  table.name = "div";
  table.children = [title, rows];
}

function isIn({ parent }: Element, name: string): boolean {
  return parent !== null && isTag(parent) && classesOf(parent).includes(name);
}

/** Rows become terms: the last cell says what the others name. */
function toTerms(table: Element): void {
  table.name = "dl";
  for (const row of elementsIn(table)) {
    row.name = "div";
    const cells = elementsIn(row);
    for (const cell of cells) cell.name = "dt";
    const [last] = cells.slice(-1);
    if (last !== undefined && cells.length > 1) last.name = "dd";
    row.children = cells.filter((cell) => !classesOf(cell).some((one) => one === "paramdir" || one === "paramtype"));
  }
}

/** Before Doxygen 1.8.14 a member has no heading of its own: the name in its signature is one. */
function entitle(member: Element): void {
  const before = member.prev?.prev;
  if (before && isTag(before) && classesOf(before).includes("memtitle")) return;
  const named = within(member, ({ name, attribs }) => name === "td" && attribs["class"] === "memname");
  const name = named === undefined ? "" : (/(?:operator.{1,20}|(?<![\w~])[\w~]+)$/.exec(lineOf(named, 300))?.[0] ?? "");
  if (name === "") return;
  const heading = new Element("h3", {}, [new Text(name)]);
  heading.parent = member;
  member.children.unshift(heading);
}

/** The brief above a detailed description that begins with it, and what says of which files the page was made. */
function repeatedIn(contents: Element): readonly ChildNode[] {
  const gone: ChildNode[] = [];
  const inside = elementsIn(contents);
  const [first] = inside;
  const detailed = inside.find((one) => classesOf(one).includes("textblock"));
  if (first?.name === "p" && detailed !== undefined) {
    const brief = lineOf(first).replace(/\s?More\.\.\.$/, "");
    if (brief !== "" && lineOf(detailed, brief.length + 50).startsWith(brief)) gone.push(first);
  }
  const last = contents.children.findLastIndex((node) => isTag(node) && node.name === "hr");
  const end = contents.children.slice(last);
  const said = end.map((node) => textOf(node, 200)).join("");
  if (last >= 0 && fromFiles.test(said.slice(0, 300).trim())) gone.push(...end);
  return gone;
}

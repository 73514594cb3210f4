import { Element, Text, isTag, isText, type ChildNode, type Document } from "domhandler";
import { ancestorsOf, classesOf, elementsIn, lineOf, removeAll, textOf, walk } from "./tree.ts";

/** Adaptation of the pages of generators: members of APIs get headings with their names, and names lose decorating characters. */

/** Collects headings to put before elements, and inserts them all at once, as an element may have many children. */
function createTitles() {
  const titles = new Map<Element, Element>();
  return {
    add(element: Element, name: string, text: string, id: string): void {
      if (text !== "") titles.set(element, new Element(name, id === "" ? {} : { id }, [new Text(text)]));
    },
    insert(): void {
      for (const parent of new Set([...titles.keys()].map((element) => element.parent))) {
        if (parent === null) continue;
        parent.children = parent.children.flatMap((child) => {
          const title = isTag(child) ? titles.get(child) : undefined;
          if (title === undefined) return [child];
          title.parent = parent;
          return [title, child];
        });
      }
    },
  };
}

/** Haddock (since 2.14): the module becomes the title, with its sections below, and the declarations below these. */
export function adaptHaddock(page: Document): void {
  const titles = createTitles();
  for (const element of walk(page)) {
    const classes = classesOf(element);
    const { parent } = element;
    if (/^h[1-5]$/.test(element.name)) element.name = `h${Number(element.name[1]) + 1}`;
    else if (
      classes.includes("caption") &&
      parent !== null &&
      isTag(parent) &&
      parent.attribs["id"] === "module-header"
    )
      element.name = "h1";
    else if (element.name === "p" && classes.includes("src")) {
      const declared = [...walk(element)].filter((one) => classesOf(one).includes("def"));
      const [first] = declared;
      if (first === undefined) continue;
      titles.add(element, "h6", declared.map((one) => lineOf(one, 100)).join(", "), first.attribs["id"] ?? "");
    }
  }
  titles.insert();
}

/** pdoc3: terms and their descriptions become sections. */
export function adaptPdoc3(page: Document): void {
  const titles = createTitles();
  const members = new Set<Element>();
  const isDeeper = (element: Element): boolean => [...ancestorsOf(element)].some((one) => members.has(one));
  for (const element of walk(page)) {
    const { id } = element.attribs;
    if (element.name === "h3" && isDeeper(element)) element.name = "h4";
    if (element.name !== "dt" || id === undefined) continue;
    const [signature] = elementsIn(element);
    const named = [...walk(element)].find((one) => classesOf(one).includes("ident"));
    if (signature === undefined || named === undefined || !classesOf(signature).includes("name")) continue;
    const level = isDeeper(element) ? "h5" : "h3";
    const { parent } = element;
    if (parent !== null && isTag(parent)) parent.name = "div";
    const description = element.next?.type === "text" ? element.next.next : element.next;
    if (description && isTag(description)) {
      description.name = "div";
      members.add(description);
    }
    element.name = "div";
    delete element.attribs["id"];
    signature.name = "div";
    // Blanks between its parts are formatting of the markup.
    signature.children = signature.children.filter((child) => !(isText(child) && child.data.trim() === ""));
    titles.add(signature, level, lineOf(named, 200), id);
  }
  titles.insert();
}

/** RDoc: a method gets a heading with the name in its first call sequence. */
export function adaptRdoc(page: Document): void {
  const titles = createTitles();
  for (const element of walk(page)) {
    if (!classesOf(element).includes("method-detail")) continue;
    const first = elementsIn(element).find((one) => classesOf(one).includes("method-heading"));
    const named = first && [...walk(first)].find((one) => /^method-(?:name|callseq)$/.test(one.attribs["class"] ?? ""));
    const name = named === undefined ? "" : lineOf(named, 200).replace(/(?<=\w[?!=]?)(?:\(.*| ?→.*| ?->.*)$/, "");
    if (first !== undefined) titles.add(first, "h4", name, element.attribs["id"] ?? "");
  }
  titles.insert();
}

/** Javadoc: removes zero-width spaces and non-breaking spaces from declarations. */
export function adaptJavadoc(page: Document): void {
  // Elements of the class `block` are the author's text, whose code stays as it is.
  for (const element of walk(page, (one) => !classesOf(one).includes("block")))
    if (element.name === "pre") normalizeBlanks(element);
}

function normalizeBlanks(element: Element): void {
  for (const child of element.children)
    if (isText(child)) child.data = child.data.replaceAll("\u200B", "").replaceAll("\u00A0", " ");
    else if (isTag(child)) normalizeBlanks(child);
}

/** gi-docgen: writes a dot between the parts of a name, which only its style separates. */
export function adaptGiDocgen(page: Document): void {
  for (const element of walk(page)) {
    if (element.name !== "span" || !classesOf(element).includes("sep")) continue;
    if ([...ancestorsOf(element, 3)].some(({ name }) => name === "h1")) element.children = [new Text(".")];
  }
}

/** pdoc (since 7): gives each member a heading with its name, which is only in its signature. */
export function adaptPdoc(page: Document): void {
  for (const element of walk(page)) {
    const { id = "" } = element.attribs;
    const isMember = classesOf(element).includes("classattr");
    if (id === "" || (element.name !== "section" && !isMember)) continue;
    prependHeading(element, new Element(isMember ? "h3" : "h2", { id }, [new Text(id)]));
  }
}

/** TypeDoc: separates tags such as `Optional` and `Deprecated` from the names next to them. */
export function adaptTypedoc(page: Document): void {
  for (const element of walk(page)) {
    if (!classesOf(element).includes("tsd-tag")) continue;
    element.name = "span";
    element.children = [new Text(` ${textOf(element, 100)} `)];
  }
}

function prependHeading(element: Element, heading: Element): void {
  heading.parent = element;
  element.children.unshift(heading);
}

/** Class of a row in a summary, with the member's name. */
const summaryRow = /^mem(?:item|desc|TemplParams|TemplItem):(\w+)$/;
/** Classes of tables of names and descriptions. */
const parameterTables = new Set(["params", "tparams", "retval", "exception"]);
/** Maximum number of elements searched for one near the start of another. */
const maxSearched = 100;
const fromFiles = /^The documentation for this .{1,40} (?:was|were) generated from/;

/**
 * Doxygen (since 1.8): replaces its classes by elements, such as `<pre>` for fragments of code, and removes repetitions: rows of
 * summaries whose members are described on the page, and the brief that the detailed description begins with.
 */
export function adaptDoxygen(page: Document): void {
  const elements = [...walk(page)];
  const described = new Set<string>();
  for (const { attribs } of walk(page, (one) => !isSummary(one)))
    if (attribs["id"] !== undefined) described.add(attribs["id"]);
  const removed = new Set<ChildNode>();
  /** Summaries with members that are described nowhere else. */
  const kept = new Set<Element>();
  for (const element of elements) {
    const classes = classesOf(element);
    if (element.name === "tr") {
      const member = classes.map((one) => summaryRow.exec(one)?.[1]).find((one) => one !== undefined);
      if (member === undefined || classes.includes("inherit")) continue;
      if (described.has(member)) removed.add(element);
      else for (const table of ancestorsOf(element, 3)) kept.add(table);
    } else if (element.name === "table" && classes.some((one) => parameterTables.has(one))) toTerms(element);
    else if (classes.includes("fragment") && element.name === "div") element.name = "pre";
    else if (classes.includes("title") && isIn(element, "headertitle")) element.name = "h1";
    else if (element.name === "h2" && classes.includes("memtitle")) element.name = "h3";
    else if (classes.includes("memitem")) addHeading(element);
    else if (classes.includes("contents")) for (const node of redundantIn(element)) removed.add(node);
  }
  for (const element of elements) {
    if (!isSummary(element)) continue;
    if (kept.has(element)) openSummary(element);
    else removed.add(element);
  }
  removeAll([...removed]);
}

function isSummary(element: Element): boolean {
  return element.name === "table" && classesOf(element).includes("memberdecls");
}

/** The first matching element in another one, near its start. */
function findWithin(element: Element, isMatch: (one: Element) => boolean): Element | undefined {
  let searched = 0;
  for (const one of walk(element)) {
    if (isMatch(one)) return one;
    if (searched++ > maxSearched) return undefined;
  }
  return undefined;
}

/** Moves the heading of a summary above its table. */
function openSummary(table: Element): void {
  const [first] = elementsIn(table);
  const title = first === undefined ? undefined : findWithin(first, ({ name }) => name === "h2");
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

/** Makes a list of terms of a table, whose last cells are the descriptions. */
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

/** Adds a heading with the name in a member's signature, as members have none before Doxygen 1.8.14. */
function addHeading(member: Element): void {
  const before = member.prev?.prev;
  if (before && isTag(before) && classesOf(before).includes("memtitle")) return;
  const named = findWithin(member, ({ name, attribs }) => name === "td" && attribs["class"] === "memname");
  const name = named === undefined ? "" : (/(?:operator.{1,20}|(?<![\w~])[\w~]+)$/.exec(lineOf(named, 300))?.[0] ?? "");
  if (name === "") return;
  prependHeading(member, new Element("h3", {}, [new Text(name)]));
}

/** A brief that the detailed description repeats, and the note about the page's source files. */
function redundantIn(contents: Element): readonly ChildNode[] {
  const redundant: ChildNode[] = [];
  const inside = elementsIn(contents);
  const [first] = inside;
  const detailed = inside.find((one) => classesOf(one).includes("textblock"));
  if (first?.name === "p" && detailed !== undefined) {
    const brief = lineOf(first).replace(/\s?More\.\.\.$/, "");
    if (brief !== "" && lineOf(detailed, brief.length + 50).startsWith(brief)) redundant.push(first);
  }
  const last = contents.children.findLastIndex((node) => isTag(node) && node.name === "hr");
  const end = contents.children.slice(last);
  const endText = end.map((node) => textOf(node, 200)).join("");
  if (last >= 0 && fromFiles.test(endText.slice(0, 300).trim())) redundant.push(...end);
  return redundant;
}

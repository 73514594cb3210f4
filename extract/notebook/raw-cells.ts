import { Text, type Element } from "domhandler";
import { append, element } from "../tree/elements.ts";
import type { PartReader } from "../markdown/rst-parts.ts";
import { placed } from "../rst/document.ts";
import { isBlank, type TextLines } from "../rst/lines.ts";
import { hasRstMarks } from "../rst/places.ts";
import { joined, readCells, type Cell } from "./cells.ts";

/** What the text of a raw cell is; "other" is for converters to formats that are not read. */
type Kind = "matter" | "rst" | "markdown" | "html" | "text" | "other";

/** Commands of TeX, which nobody reads. */
const tex = /^\s{0,100}\\[a-z]/i;

/** What each raw cell is. `isSphinx`: it is in a tree of Sphinx, which takes raw cells without a type as reStructuredText. */
export function kindsOf(cells: readonly Cell[], isSphinx: boolean): ReadonlyMap<Cell, Kind> {
  const kinds = new Map<Cell, Kind>();
  for (const [index, cell] of cells.entries()) {
    if (cell.kind !== "raw") continue;
    const { text } = joined(cell.source);
    if (index === 0 && /^\s{0,100}---/.test(text)) kinds.set(cell, "matter");
    else if (cell.type !== "") kinds.set(cell, kindOf(cell.type));
    else if (tex.test(text)) kinds.set(cell, "other");
    else kinds.set(cell, isSphinx || hasRstMarks(text) || /(?<!`)``[^`\n]{1,200}``(?!`)/.test(text) ? "rst" : "text");
  }
  return kinds;
}

function kindOf(type: string): Kind {
  const name = /^text\/(?:x-)?(restructuredtext|rst|markdown|html|plain)$/i.exec(type)?.[1]?.toLowerCase();
  if (name === "markdown" || name === "html") return name;
  return name === undefined ? "other" : name === "plain" ? "text" : "rst";
}

/** The reStructuredText in the raw cells of a notebook, which may refer to files; "" without any. */
export function rstIn(source: string): string {
  if (!/"cell_type":\s{0,20}"raw"/.test(source)) return "";
  const kinds = kindsOf(readCells(source).cells, true);
  return [...kinds].flatMap(([cell, kind]) => (kind === "rst" ? [joined(cell.source).text] : [])).join("\n\n");
}

/** The elements of the raw cells in reStructuredText, HTML and plain text, whose text is there when `parts` is finished. */
export function readRawCells(kinds: ReadonlyMap<Cell, Kind>, parts: PartReader): ReadonlyMap<Cell, Element> {
  const read = new Map<Cell, Element>();
  for (const [cell, kind] of kinds) {
    if (kind !== "rst" && kind !== "html" && kind !== "text") continue;
    const { text, lines: places } = joined(cell.source);
    const lines = text.split(/\r\n?|\n/).map((one, at) => ({ text: one, at: places[at] ?? places.at(-1) ?? 1 }));
    const root = element("#root", {}, []);
    const children = kind === "text" ? paragraphs(lines) : parts.read(kind === "rst" ? lines : asRawHtml(lines));
    for (const child of children) append(root, child);
    read.set(cell, root);
  }
  return read;
}

function asRawHtml(lines: TextLines): TextLines {
  const at = lines[0]?.at ?? 1;
  return [
    { text: ".. raw:: html", at },
    { text: "", at },
    ...lines.map((line) => ({ ...line, text: `   ${line.text}` })),
  ];
}

function paragraphs(lines: TextLines): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < lines.length; at++) {
    const from = at;
    while (!isBlank(lines[at])) at++;
    const own = lines.slice(from, at);
    if (own.length === 0) continue;
    const made = placed("p", {}, own);
    append(made, new Text(own.map(({ text }) => text).join("\n")));
    found.push(made);
  }
  return found;
}

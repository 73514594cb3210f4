import type { Element } from "domhandler";
import { escapeAttribute, escapeText } from "entities";
import { elementsIn, parseTree, textOf, walk } from "../html/tree.ts";
import type { Refused } from "../markdown/index.ts";
import { placeAttribute } from "./index.ts";
import { isMonospaced, readParts, unreadable } from "./parts.ts";

/** A paragraph of a shape. */
interface Line {
  /** Its words as HTML. */
  readonly html: string;
  /** Its characters, for code. */
  readonly text: string;
  readonly isCode: boolean;
  /** Depth of its list, from 0; undefined: it is no item. */
  readonly depth: number | undefined;
  readonly isOrdered: boolean;
  /** Its number, if it begins a list with another one than 1. */
  readonly start: string;
}

/** Maximum depth of a list. */
const maxDepth = 9;

/** Converts a presentation into HTML: a section for each slide in its order, with its title, text, tables and notes. */
export async function convertPptx(bytes: Uint8Array): Promise<string | Refused> {
  const parts = await readParts(bytes);
  if (!(parts instanceof Map)) return parts as Refused;
  const open = (path: string): readonly Element[] => {
    const page = parseTree(parts.get(path)?.toString("utf8") ?? "", undefined, { xmlMode: true });
    return page === null ? [] : [...walk(page)];
  };
  /** The targets of a part's relations, by their IDs, with their types. */
  const relations = (path: string): ReadonlyMap<string, { readonly path: string; readonly type: string }> => {
    const at = path.lastIndexOf("/");
    const all = open(`${path.slice(0, at)}/_rels/${path.slice(at + 1)}.rels`);
    return new Map(
      all.map(({ attribs: { Id = "", Target = "", Type = "" } }) => [
        Id,
        { path: new URL(Target, `file:///${path}`).pathname.slice(1), type: Type.slice(Type.lastIndexOf("/") + 1) },
      ]),
    );
  };
  const main = "ppt/presentation.xml";
  if (!parts.has(main)) return unreadable("The file is damaged, or not a PowerPoint presentation.");
  const targets = relations(main);
  const ids = open(main).filter(({ name }) => name === "p:sldId");
  const slides = ids.map(({ attribs }) => targets.get(attribs["r:id"] ?? "")?.path ?? "");
  const title = open("docProps/core.xml").find(({ name }) => name === "dc:title");
  const html = slides.map((path, at) => {
    const elements = open(path);
    // A slide that is not shown.
    if (elements.some(({ name, attribs }) => name === "p:sld" && attribs["show"] === "0")) return "";
    const notes = [...relations(path).values()].find(({ type }) => type === "notesSlide");
    const spoken = notes ? notesOf(open(notes.path)) : "";
    return `<div ${placeAttribute}="${at + 1}">${slideOf(elements)}${spoken}</div>`;
  });
  return `<title>${escapeText(title ? textOf(title) : "")}</title>${html.join("\n")}`;
}

/** The shapes of a slide in the order of the file, the title first. */
function slideOf(elements: readonly Element[]): string {
  const shapes = elements.filter(({ name }) => name === "p:sp" || name === "a:tbl");
  const isTitle = (shape: Element): boolean => /^(?:ctrT|t)itle$/.test(placeholderOf(shape) ?? "");
  const title = shapes.find(isTitle);
  const heading =
    title === undefined
      ? ""
      : `<h2>${linesOf(title)
          .map(({ html }) => html)
          .join(" ")}</h2>`;
  const others = shapes.filter(
    (shape) => shape !== title && !/^(?:dt|ftr|sldNum|hdr)$/.test(placeholderOf(shape) ?? ""),
  );
  return heading + others.map((shape) => (shape.name === "a:tbl" ? tableOf(shape) : toHtml(linesOf(shape)))).join("");
}

function notesOf(elements: readonly Element[]): string {
  const body = elements.find((one) => one.name === "p:sp" && placeholderOf(one) === "body");
  return body === undefined ? "" : toHtml(linesOf(body).map((line) => ({ ...line, depth: undefined })));
}

/** The role of a shape in the layout of its slide, "body" if it has an index only; undefined for a box of its own. */
function placeholderOf(shape: Element): string | undefined {
  const place = [...walk(shape)].find(({ name }) => name === "p:ph");
  return place && (place.attribs["type"] ?? "body");
}

function tableOf(table: Element): string {
  const rows = elementsIn(table).filter(({ name }) => name === "a:tr");
  const cells = (row: Element, at: number): string => {
    const name = at === 0 ? "th" : "td";
    const shown = elementsIn(row).filter((one) => one.name === "a:tc" && one.attribs["hMerge"] === undefined);
    return shown
      .map(
        (cell) =>
          `<${name}>${linesOf(cell)
            .map(({ html }) => html)
            .join("<br>")}</${name}>`,
      )
      .join("");
  };
  return `<table>${rows.map((row, at) => `<tr>${cells(row, at)}</tr>`).join("")}</table>`;
}

function linesOf(shape: Element): readonly Line[] {
  // Text of a placeholder is a list unless it says otherwise.
  const isListed = placeholderOf(shape) === "body" || placeholderOf(shape) === "obj";
  return [...walk(shape)].filter(({ name }) => name === "a:p").map((paragraph) => lineOf(paragraph, isListed));
}

function lineOf(paragraph: Element, isListed: boolean): Line {
  const inside = elementsIn(paragraph);
  const format = inside.find(({ name }) => name === "a:pPr");
  const marks = format === undefined ? [] : elementsIn(format).map(({ name }) => name);
  const numbers = format && elementsIn(format).find(({ name }) => name === "a:buAutoNum");
  const isOrdered = numbers !== undefined;
  const isItem = isOrdered || marks.includes("a:buChar") || (isListed && !marks.includes("a:buNone"));
  const runs = inside.flatMap((one) => {
    if (one.name === "a:br") return [{ text: "\n", isCode: undefined }];
    if (one.name !== "a:r" && one.name !== "a:fld") return [];
    const all = [...walk(one)];
    const text = all
      .filter(({ name }) => name === "a:t")
      .map(textOf)
      .join("");
    const font = all.find(({ name }) => name === "a:latin")?.attribs["typeface"];
    return [{ text, isCode: text.trim() === "" ? undefined : isMonospaced(font) }];
  });
  const isCode = runs.some((run) => run.isCode) && runs.every((run) => run.isCode !== false);
  const html = runs.map(({ text, isCode: isMono }) => {
    const words = escapeText(text).replaceAll("\n", "<br>");
    return isMono === true ? `<code>${words}</code>` : words;
  });
  const depth = Math.min(Number(format?.attribs["lvl"] ?? 0) || 0, maxDepth);
  return {
    html: html.join("").replaceAll("</code><code>", ""),
    text: runs.map(({ text }) => text).join(""),
    isCode,
    depth: isItem ? depth : undefined,
    isOrdered,
    start: numbers?.attribs["startAt"] ?? "1",
  };
}

/** The paragraphs with lists, and blocks of code of those that have nothing else. */
function toHtml(lines: readonly Line[]): string {
  const out: string[] = [];
  /** The open lists, outermost first. */
  const open: string[] = [];
  const closeTo = (depth: number): void => {
    while (open.length > depth) out.push(`</li></${open.pop()}>`);
  };
  let code: string[] = [];
  const endCode = (): void => {
    if (code.join("").trim() !== "") out.push(`<pre>\n${escapeText(code.join("\n").trimEnd())}\n</pre>`);
    code = [];
  };
  for (const line of lines) {
    if (line.isCode || (code.length > 0 && line.text.trim() === "")) {
      closeTo(0);
      code.push(line.text);
      continue;
    }
    endCode();
    if (line.text.trim() === "") continue;
    if (line.depth === undefined) {
      closeTo(0);
      out.push(`<p>${line.html}</p>`);
      continue;
    }
    const name = line.isOrdered ? "ol" : "ul";
    const depth = Math.min(line.depth, open.length);
    closeTo(depth + 1);
    if (open.length === depth + 1 && open[depth] !== name) closeTo(depth);
    if (open.length <= depth) {
      open.push(name);
      out.push(`<${name}${line.isOrdered ? ` start="${escapeAttribute(line.start)}"` : ""}><li>`);
    } else out.push("</li><li>");
    out.push(line.html);
  }
  endCode();
  closeTo(0);
  return out.join("");
}

import { escapeText } from "entities";
import type { Line, PageLines } from "./pdf-lines.ts";

/** An entry of a PDF's outline: a heading, at a level from 1. */
export interface Heading {
  readonly title: string;
  readonly level: number;
}

/** The blocks of a page as HTML. */
interface PageHtml {
  readonly number: number;
  readonly html: string;
}

/** A block that is being built of lines. */
interface Block {
  readonly type: "heading" | "code" | "paragraph" | "item" | "row";
  readonly page: number;
  readonly lines: Line[];
}

const bullet = /^[\u2022\u2023\u25AA\u25CF\u25CB\u25E6\u2043\u2013\u25A0\u25A1\u2212\uF0B7*-]\s+(?=\S)/u;
const numbered = /^(\d{1,3})[.)]\s+(?=\S)/;
const maxHeading = 200;
/** Maximum number of cells in a row of a table, and of empty lines between lines of code. */
const maxCells = 30;
const maxEmpty = 5;

/** Turns lines into blocks: headings by the outline or their size, code by its font, lists by their marks, tables by their cells. */
export function toHtml(pages: readonly PageLines[], outline: readonly Heading[]): readonly PageHtml[] {
  const all = pages.flatMap(({ lines }) => lines);
  const body =
    most(
      all.filter(({ isMono }) => !isMono),
      ({ size }) => round(size),
    ) ?? 10;
  const font = most(
    all.filter(({ size, isMono }) => !isMono && round(size) === body),
    (line) => line.font,
  );
  const levels = new Map(outline.map(({ title, level }) => [normal(title), level]));
  const large = [...new Set(all.filter((line) => isLarge(line, body)).map(({ size }) => round(size)))].toSorted(
    (one, other) => other - one,
  );
  const rank = new Map(large.map((size, at) => [size, Math.min(at + 1, 6)]));
  const levelOf = (line: Line, gap: number): number | undefined => {
    if (line.isMono || line.text.length > maxHeading || !/\p{L}/u.test(line.text)) return undefined;
    const known = levels.get(normal(line.text));
    if (known !== undefined && (line.font !== font || round(line.size) !== body)) return known;
    if (isLarge(line, body)) return rank.get(round(line.size));
    // A short line in a font of its own, apart from what is above.
    if (line.cells.length > 1) return undefined;
    const isOwn =
      round(line.size) === body && line.font !== font && line.pieces.every((piece) => piece.font === line.font);
    return isOwn && gap > line.size * 1.5 && line.text.length < 80 && !/[.,;:!?]$/.test(line.text)
      ? Math.min(large.length + 1, 6)
      : undefined;
  };
  const words = new Set(all.flatMap(({ text }) => text.match(/[\p{L}\d]+(?:-[\p{L}\d]+)*/gu) ?? []));
  const leading =
    most(
      all.flatMap((line, at) => gapOf(all[at - 1], line)),
      round,
    ) ?? 1.2;
  const byPage = Map.groupBy(toBlocks(pages, levelOf, leading), ({ block }) => block.page);
  return pages.map(({ page: { number } }) => ({
    number,
    html: write(byPage.get(number) ?? [], words),
  }));
}

/** The distance of two lines in sizes of the font; none if they are in different sizes. */
function gapOf(before: Line | undefined, line: Line): readonly number[] {
  const gap = before && before.size === line.size ? (before.base - line.base) / line.size : 0;
  return gap > 0.5 && gap < 3 ? [gap] : [];
}

interface Leveled {
  readonly block: Block;
  readonly level: number;
}

function toBlocks(
  pages: readonly PageLines[],
  levelOf: (line: Line, gap: number) => number | undefined,
  leading: number,
): readonly Leveled[] {
  const blocks: Leveled[] = [];
  for (const { page, lines } of pages) {
    let before: Line | undefined;
    for (const [at, line] of lines.entries()) {
      const gap = before === undefined ? Infinity : before.base - line.base;
      const last = blocks.at(-1);
      const isRow = !line.isMono && (isAligned(line, before) || isAligned(line, lines[at + 1]));
      const level = isRow ? undefined : levelOf(line, gap);
      const type = isRow ? "row" : level !== undefined ? "heading" : line.isMono ? "code" : undefined;
      if (last && isContinued(last, { type, level, line, before, gap, leading })) last.block.lines.push(line);
      else {
        const isItem = bullet.test(line.text) || numbered.test(line.text);
        const made = type ?? (isItem ? "item" : "paragraph");
        blocks.push({ block: { type: made, page: page.number, lines: [line] }, level: level ?? 0 });
      }
      before = line;
    }
  }
  return blocks;
}

/** Whether the cells of two lines begin at the same places, as in a table. */
function isAligned({ cells, base, size }: Line, other: Line | undefined): boolean {
  if (
    other === undefined ||
    cells.length < 2 ||
    cells.length > maxCells ||
    other.cells.length > maxCells ||
    Math.abs(base - other.base) > size * 6
  )
    return false;
  const shared = other.cells.filter((cell) => cells.some(({ left }) => Math.abs(left - cell.left) < 3));
  return shared.length > 1 && !bullet.test(cells[0]?.text ?? "");
}

interface Next {
  readonly type: Block["type"] | undefined;
  readonly level: number | undefined;
  readonly line: Line;
  readonly before: Line | undefined;
  readonly gap: number;
  readonly leading: number;
}

/** Whether a line continues the last block. */
function isContinued({ block, level: lastLevel }: Leveled, { type, level, line, before, gap, leading }: Next): boolean {
  const last = block.lines.at(-1);
  if (last === undefined) return false;
  const isNear = gap < line.size * leading * 1.3;
  // A cell goes on below itself.
  if (type === "row") return false;
  if (block.type === "row") return isNear && type !== "heading" && columnOf(block.lines[0]?.cells ?? [], line) > 0;
  if (type === "heading")
    return block.type === "heading" && level === lastLevel && round(last.size) === round(line.size) && isNear;
  if (type === "code") return block.type === "code" && (before === undefined || (gap > 0 && gap < line.size * 6));
  if (block.type !== "paragraph" && block.type !== "item") return false;
  if (bullet.test(line.text) || numbered.test(line.text)) return false;
  // Rows whose cells begin at different places, as centred ones do.
  if (line.cells.length > 1 && last.cells.length > 1) return false;
  // A sentence goes on in the next column or on the next page.
  if (before === undefined || gap < 0) return /^\p{Ll}/u.test(line.text) && !/[.:!?]$/.test(last.text);
  if (!isNear || Math.abs(last.size - line.size) > line.size * 0.15) return false;
  const [first = last] = block.lines;
  const isIndented = block.lines.length > 1 && line.left > last.left + line.size * 0.8;
  return block.type === "item" ? line.left > first.left - 1 : !isIndented;
}

function write(blocks: readonly Leveled[], words: ReadonlySet<string>): string {
  const out: string[] = [];
  let open = "" as "" | "ul" | "ol" | "table";
  const enter = (next: typeof open, start = ""): void => {
    if (open === next) return;
    if (open !== "") out.push(`</${open}>`);
    if (next !== "") out.push(`<${next}${start}>`);
    open = next;
  };
  for (const { block, level } of blocks) {
    const { type, lines } = block;
    if (type === "row") {
      const cell = open === "table" ? "td" : "th";
      enter("table");
      out.push(
        `<tr>${cellsOf(lines)
          .map((inside) => `<${cell}>${proseOf(inside, words)}</${cell}>`)
          .join("")}</tr>`,
      );
    } else if (type === "item") {
      const number = numbered.exec(lines[0]?.text ?? "")?.[1];
      enter(number === undefined ? "ul" : "ol", number === undefined ? "" : ` start="${number}"`);
      out.push(`<li>${proseOf(lines, words).replace(number === undefined ? bullet : numbered, "")}</li>`);
    } else {
      enter("");
      if (type === "code") out.push(`<pre>\n${escapeText(codeOf(lines))}\n</pre>`);
      else if (type === "heading") out.push(`<h${level}>${escapeText(textOf(lines, words))}</h${level}>`);
      else out.push(`<p>${proseOf(lines, words)}</p>`);
    }
  }
  enter("");
  return out.join("");
}

/** The lines of each cell of a row. */
function cellsOf([first, ...others]: readonly Line[]): readonly (readonly Line[])[] {
  const columns = (first?.cells ?? []).map((cell) => [cell]);
  for (const line of others)
    for (const cell of line.cells) columns[Math.max(columnOf(first?.cells ?? [], cell), 0)]?.push(cell);
  return columns;
}

/** The number of the cell that begins where a line does; -1 for none. */
function columnOf(cells: readonly Line[], { left }: Line): number {
  return cells.findIndex((cell) => Math.abs(cell.left - left) < 3);
}

/** The characters of code, with its indentation and empty lines by the places of its lines. */
function codeOf(lines: readonly Line[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Infinity);
  const [first] = lines.flatMap(({ pieces }) => pieces);
  const width = first === undefined ? 1 : (first.right - first.left) / Math.max(first.text.trimStart().length, 1);
  const gaps = lines
    .flatMap((line, at) => (at === 0 ? [] : [(lines[at - 1]?.base ?? 0) - line.base]))
    .filter((gap) => gap > 0);
  // Two lines alone do not say whether there is an empty one between them.
  const leading = Math.min(most(gaps, round) ?? Infinity, (lines[0]?.size ?? 1) * 1.7);
  const out: string[] = [];
  for (const [at, line] of lines.entries()) {
    const gap = at === 0 ? 0 : (lines[at - 1]?.base ?? 0) - line.base;
    for (let empty = Math.min(Math.round(gap / leading) - 1, maxEmpty); empty > 0; empty -= 1) out.push("");
    let text = "";
    for (const piece of line.pieces) {
      const column = Math.round((piece.left - left) / width);
      text = `${text.padEnd(Math.min(column, 400))}${piece.text.trimStart()}`;
    }
    out.push(text.trimEnd());
  }
  return out.join("\n");
}

/** The words of lines as HTML, with those in a font of one width as code. */
function proseOf(lines: readonly Line[], words: ReadonlySet<string>): string {
  const html = lines.map(({ pieces, isMono }) =>
    pieces
      .map((piece) => {
        const text = escapeText(piece.text);
        const words = text.trim();
        return piece.isMono && !isMono ? text.replace(words, () => `<code>${words}</code>`) : text;
      })
      .join("")
      .replaceAll(/<\/code>(\s?)<code>/g, "$1"),
  );
  return joined(html, words);
}

function textOf(lines: readonly Line[], words: ReadonlySet<string>): string {
  return joined(
    lines.map(({ text }) => text),
    words,
  );
}

/** Lines as one, with words that are divided at the end of a line whole, unless they are written with the hyphen elsewhere. */
function joined(lines: readonly string[], words: ReadonlySet<string>): string {
  return lines
    .map((line, at) => {
      const next = lines[at + 1];
      if (next === undefined) return line;
      const [tail = ""] = /^\p{Ll}[\p{L}\d]*/u.exec(next) ?? [];
      const head = line.slice(line.lastIndexOf(" ") + 1, -1);
      if (!/[-\u2010]$/.test(line) || tail === "" || !/^[\p{L}\d]+$/u.test(head)) return `${line} `;
      return words.has(`${head}-${tail}`) && !words.has(head + tail) ? line : line.slice(0, -1);
    })
    .join("");
}

function isLarge({ size }: Line, body: number): boolean {
  return round(size) > body * 1.08;
}

function round(size: number): number {
  return Math.round(size * 5) / 5;
}

function normal(title: string): string {
  return title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, "");
}

/** What most of some things have, by the number of characters where they are lines. */
function most<T, Key>(all: readonly T[], keyOf: (one: T) => Key): Key | undefined {
  const counts = new Map<Key, number>();
  for (const one of all) {
    const weight = typeof one === "object" && one !== null && "text" in one ? String(one.text).length : 1;
    counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + weight);
  }
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}

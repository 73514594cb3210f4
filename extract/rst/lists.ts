import { Text, type Element } from "domhandler";
import { append } from "../tree/elements.ts";
import { placed, type RstDocument } from "./document.ts";
import {
  blockOf,
  cut,
  dedent,
  endOfIndented,
  indentOf,
  isBlank,
  trimBlank,
  type Line,
  type TextLines,
} from "./lines.ts";
import type { Nested, Reader } from "./reader.ts";

const bullet = /^[-+*\u2022\u2023\u2043](?:\s+|$)/;
const enumerator = /^(\(?)(\d{1,9}|[a-zA-Z]|[ivxlcdm]{1,12}|[IVXLCDM]{1,12}|#)([.)])(?:\s+|$)/;
const field = /^:(?![: ])((?:[^:\\]|\\.|:(?!(?:[ `]|$))){1,400})(?<!\s):(?:\s+|$)/;
const value = "(?:[A-Za-z][\\w-]*|<[^<>]+>)";
const oneOption = `(?:[-+][A-Za-z0-9?](?: ?${value})?|(?:--|/)[A-Za-z0-9][\\w-]*(?:[ =]${value})?)`;
const options = new RegExp(`^${oneOption}(?:, ${oneOption}){0,20}(?:\\s{2,}|\\s?$)`);

/** The items of a list, each with its lines, and the index after it. */
interface Items {
  readonly items: readonly TextLines[];
  readonly end: number;
}

/** The items from `at` on whose lines begin with a marker. `next`: the end of the marker on a line, -1 for another line. */
function itemsFrom(lines: TextLines, at: number, next: (line: Line, index: number) => number): Items {
  const items: TextLines[] = [];
  let end = at;
  let from = at;
  for (;;) {
    const line = lines[from];
    const offset = line === undefined || isBlank(line) ? -1 : next(line, from);
    if (line === undefined || offset < 0) break;
    const isBare = line.text.slice(offset).trim() === "";
    const width = isBare ? 1 : offset;
    const close = endOfIndented(lines, from + 1, width);
    const rest = lines.slice(from + 1, close);
    const inside = isBare ? dedent(rest) : rest.map((one) => cut(one, width));
    items.push([{ ...line, text: line.text.slice(offset) }, ...inside]);
    from = end = close;
  }
  return { items, end };
}

/** The items of the bullet list that a block consists of. */
export function bulletItems(lines: TextLines): readonly TextLines[] {
  const block = trimBlank(lines);
  return itemsFrom(block, 0, ({ text }) => bullet.exec(text)?.[0].length ?? -1).items;
}

/** Reads a list with bullets or numbers; undefined for another line. */
export function readList(lines: TextLines, at: number, into: Element, nested: Nested): number | undefined {
  const text = lines[at]?.text ?? "";
  const isBullet = bullet.test(text);
  const first = isBullet ? undefined : numberOf(text);
  if (!isBullet && (first === undefined || !isEnumerated(lines, at, first))) return undefined;
  let expected = first?.ordinal ?? 0;
  const { items, end } = itemsFrom(lines, at, (line, index) => {
    const marker = isBullet ? bullet.exec(line.text) : null;
    if (isBullet) return marker !== null && line.text[0] === text[0] ? marker[0].length : -1;
    const own = numberOf(line.text, first);
    if (own === undefined || (!own.isAuto && own.ordinal !== expected) || !isEnumerated(lines, index, own)) return -1;
    expected++;
    return own.length;
  });
  const list = placed(
    isBullet ? "ul" : "ol",
    isBullet ? {} : { start: String(first?.ordinal ?? 1) },
    trimBlank(lines.slice(at, end)),
  );
  for (const item of items) append(list, nested(item, placed("li", {}, trimBlank(item))));
  append(into, list);
  return end;
}

interface Enumerator {
  readonly length: number;
  readonly ordinal: number;
  readonly isAuto: boolean;
  readonly format: string;
  readonly isRoman: boolean;
}

/** The number that a line begins with. `like`: the first of the list, whose form it has to have. */
function numberOf(text: string, like?: Enumerator): Enumerator | undefined {
  const [marker = "", open = "", word = "", close = ""] = enumerator.exec(text) ?? [];
  if (marker === "" || (open === "(" && close !== ")")) return undefined;
  const isDigit = /^\d/.test(word);
  const isRoman =
    !isDigit && word !== "#" && (like === undefined ? word.length > 1 || /^i$/i.test(word) : like.isRoman);
  const ordinal = isDigit
    ? Number(word)
    : word === "#"
      ? 1
      : isRoman
        ? romanOf(word.toLowerCase())
        : word.toLowerCase().charCodeAt(0) - 96;
  if (ordinal === undefined || (!isRoman && !isDigit && word.length > 1)) return undefined;
  const kind = isDigit ? "1" : word === "#" ? "#" : word === word.toLowerCase() ? "a" : "A";
  const format = `${open}${close}`;
  if (like !== undefined && (like.format.slice(1) !== format || (kind !== "#" && like.format[0] !== kind)))
    return undefined;
  return { length: marker.length, ordinal, isAuto: word === "#", format: kind + format, isRoman };
}

/** Whether the line after a number is blank, indented, or has the next number; otherwise the line is text. */
function isEnumerated(lines: TextLines, at: number, own: Enumerator): boolean {
  const next = lines[at + 1];
  if (next === undefined || isBlank(next) || indentOf(next) > 0) return true;
  const following = numberOf(next.text, own);
  return following !== undefined && (following.isAuto || following.ordinal === own.ordinal + 1);
}

function romanOf(word: string): number | undefined {
  const values: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 };
  let [total, last] = [0, 0];
  for (const letter of word.split("").toReversed()) {
    const one = values[letter];
    if (one === undefined) return undefined;
    total += one < last ? -one : one;
    last = Math.max(last, one);
  }
  return total;
}

/** A field, `:name argument: text`. */
export interface Field {
  readonly name: string;
  readonly block: TextLines;
}

/** The fields from `at` on, and the index after them. */
export function fieldsFrom(lines: TextLines, at: number): { readonly fields: readonly Field[]; readonly end: number } {
  const fields: Field[] = [];
  let [from, end] = [at, at];
  while (from < lines.length) {
    if (isBlank(lines[from])) {
      from++;
      continue;
    }
    const [marker, name = ""] = field.exec(lines[from]?.text ?? "") ?? [];
    if (marker === undefined) break;
    const { block, end: next } = blockOf(lines, from, marker.length);
    fields.push({ name, block });
    from = end = next;
  }
  return { fields, end };
}

/** Reads fields; undefined for another line. */
export function readFieldList(
  lines: TextLines,
  at: number,
  into: Element,
  nested: Nested,
  { document }: Reader,
): number | undefined {
  const { fields, end } = fieldsFrom(lines, at);
  if (fields.length === 0) return undefined;
  const list = placed("dl", {}, trimBlank(lines.slice(at, end)));
  for (const { name, block } of fields) addTerm(list, name, block, nested, document);
  append(into, list);
  return end;
}

/** Adds a term with its description to a list. */
export function addTerm(list: Element, name: string, block: TextLines, nested: Nested, document: RstDocument): void {
  const term = placed("dt", {}, block.slice(0, 1));
  document.later(term, name);
  append(list, term);
  append(list, nested(block, placed("dd", {}, trimBlank(block))));
}

/** Reads the options of a command line with their descriptions; undefined for another line. */
export function readOptionList(lines: TextLines, at: number, into: Element, nested: Nested): number | undefined {
  if (!options.test(lines[at]?.text ?? "")) return undefined;
  const list = placed("dl", {}, lines.slice(at, at + 1));
  let [from, end] = [at, at];
  while (from < lines.length) {
    const line = lines[from] as Line;
    if (isBlank(line)) {
      from++;
      continue;
    }
    const marker = options.exec(line.text)?.[0];
    if (marker === undefined) break;
    const { block, end: next } = blockOf(lines, from, marker.length);
    const term = placed("dt", {}, [line]);
    const code = placed("code", {}, [line]);
    append(term, code);
    append(code, new Text(marker.trim()));
    append(list, term);
    append(list, nested(block, placed("dd", {}, trimBlank(block))));
    from = end = next;
  }
  list.endIndex = lines[end - 1]?.at ?? null;
  append(into, list);
  return end;
}

/** Reads lines whose breaks count. */
export function readLineBlock(lines: TextLines, at: number, into: Element, document: RstDocument): number {
  const texts: string[] = [];
  let end = at;
  while (end < lines.length && !isBlank(lines[end])) {
    const { text } = lines[end] as Line;
    if (/^\|(?:\s|$)/.test(text)) texts.push(text.slice(1).trim());
    else if (/^\s/.test(text)) texts.push(`${texts.pop() ?? ""} ${text.trim()}`);
    else break;
    end++;
  }
  const own = lines.slice(at, end);
  const made = placed("p", {}, own);
  document.later(made, ...texts.filter((text) => text !== ""));
  append(into, made);
  return end;
}

import { visit, type JSONPath, type JSONVisitor } from "jsonc-parser";

import { escaped } from "./json.ts";

/** Maximum length of a value on one line that counts as formatted, in characters. */
const maxLineLength = 100;

/**
 * The texts of values in valid JSON, by pointer, without the indentation of their place. Values that are not formatted for readers
 * are left out.
 */
export function textsIn(text: string, pointers: ReadonlySet<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const entered = new Set([...pointers].flatMap((pointer) => prefixes(pointer)));
  const open: { readonly pointer: string; readonly start: number }[] = [];
  const keep = (pointer: string, start: number, end: number): void => {
    const value = pointers.has(pointer) ? unindented(text, start, end) : undefined;
    if (value !== undefined) texts.set(pointer, value);
  };
  const begin: JSONVisitor["onObjectBegin"] = (start, _length, _line, _character, path) => {
    const pointer = toPointer(path());
    open.push({ pointer, start });
    return entered.has(pointer);
  };
  const end = (offset: number, length: number): void => {
    const value = open.pop();
    if (value !== undefined) keep(value.pointer, value.start, offset + length);
  };
  visit(text, {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: (_value, start, length, _line, _character, path) => keep(toPointer(path()), start, start + length),
  });
  return texts;
}

function toPointer(path: JSONPath): string {
  return path.map((key) => `/${escaped(String(key))}`).join("");
}

function prefixes(pointer: string): string[] {
  const keys = pointer.split("/");
  return keys.map((_, index) => keys.slice(0, index + 1).join("/"));
}

function unindented(text: string, start: number, end: number): string | undefined {
  const value = text.slice(start, end);
  if (!value.includes("\n")) return value.length > maxLineLength ? undefined : value;
  const line = text.slice(text.lastIndexOf("\n", start) + 1, start);
  const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
  const [first = "", ...others] = value.split("\n");
  if (!others.every((other) => other.startsWith(indentation) || other.trim() === "")) return value;
  return [first, ...others.map((other) => other.slice(indentation.length))].join("\n");
}

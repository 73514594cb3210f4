import { visit } from "jsonc-parser";
import type { JSONPath, JSONVisitor } from "jsonc-parser";
import { escaped } from "./parse.ts";

/** Maximum length of a value on one line that is laid out for readers, in characters. */
const maxLineLength = 100;

/**
 * The texts of values in a JSON file, by their pointers, without those that are not laid out for readers. Lines lose the indentation
 * of the value's place. `text` has to be valid JSON.
 */
export function textsIn(text: string, pointers: ReadonlySet<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const entered = new Set([...pointers].flatMap((pointer) => prefixes(pointer)));
  const open: { readonly pointer: string; readonly start: number }[] = [];
  const keep = (pointer: string, start: number, end: number): void => {
    const found = pointers.has(pointer) ? unindented(text, start, end) : undefined;
    if (found !== undefined) texts.set(pointer, found);
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
  const written = text.slice(start, end);
  if (!written.includes("\n")) return written.length > maxLineLength ? undefined : written;
  const line = text.slice(text.lastIndexOf("\n", start) + 1, start);
  const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
  const [first = "", ...others] = written.split("\n");
  if (!others.every((other) => other.startsWith(indentation) || other.trim() === "")) return written;
  return [first, ...others.map((other) => other.slice(indentation.length))].join("\n");
}

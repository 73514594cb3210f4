import type { ChildNode } from "domhandler";
import { readOptions } from "./directive-options.ts";

/** Reads the parts of a page that are in reStructuredText. */
export interface PartReader {
  /** The elements of lines with their numbers on the page, whose text is there when the page is finished. */
  read(lines: readonly PartLine[]): readonly ChildNode[];
  /** The page is in a tree of Sphinx. */
  readonly isSphinx: boolean;
  /** The title of another page, by its name in a reference; undefined if it is not known. */
  titleOf(target: string): string | undefined;
  /** Reads the texts; returns what was left out. */
  finish(): readonly string[];
}

interface PartLine {
  readonly text: string;
  /** From 1. */
  readonly at: number;
}

const part = /^\{(eval-rst|csv-table|autosummary|(?:py:)?(?:auto[a-z]{3,20}|(?:current)?module))\}[ \t]*([^\n]*)/;

/**
 * The reStructuredText of a directive of MyST that has it as its content, or whose content is not Markdown: as its argument and options,
 * with the lines of the page. `at`: the line of its marker, from 1. Undefined for other directives.
 */
export function toRst(info: string, content: string, at: number): readonly PartLine[] | undefined {
  const [, name = "", argument = ""] = part.exec(info.trim()) ?? [];
  if (name === "") return undefined;
  const rows = content.split("\n").map((text, index) => ({ text, at: at + 1 + index }));
  if (name === "eval-rst") return rows;
  const { values, end } = readOptions(
    rows.map(({ text }) => text),
    0,
  );
  return [
    { text: `.. ${name}:: ${argument}`, at },
    ...Array.from(values, ([key, value]) => ({ text: `   :${key}: ${value}`, at })),
    { text: "", at },
    ...rows.slice(end).map((row) => ({ ...row, text: `   ${row.text}` })),
  ];
}

import { packMarks } from "../extract/marks.ts";
import type { SnippetLine } from "../extract/snippets.ts";

/** The snippets of a page as they are handed between threads: in one piece, as many strings take long and much memory. */
export interface PageLines {
  /** JSON of each snippet, with a line break behind each, in UTF-8. */
  readonly lines: Uint8Array;
  /** What there is to know of each, in the same order; see `packMarks`. */
  readonly marks: Uint8Array;
}

const encoder = new TextEncoder();
const [lineBreak, brace] = [10, 125];
const duplicate = encoder.encode(',"flags":["duplicate"]}\n');

/** Joins snippets. */
export function toPageLines(snippets: readonly SnippetLine[]): PageLines {
  return {
    lines: encoder.encode(snippets.map(({ line }) => `${line}\n`).join("")),
    marks: packMarks(snippets),
  };
}

/** The lines, with the flag `duplicate` on those which are marked as such. Those have no flags yet. */
export function flagDuplicates(lines: Uint8Array, duplicates: readonly boolean[]): Uint8Array {
  if (!duplicates.includes(true)) return lines;
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const isDuplicate of duplicates) {
    const end = lines.indexOf(lineBreak, start) + 1;
    if (isDuplicate) parts.push(lines.subarray(start, lines.lastIndexOf(brace, end)), duplicate);
    else parts.push(lines.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}

import { indentation, select } from "./selection.ts";
import type { Selection } from "./selection.ts";
import type { Range, SourceLines } from "../markdown/lines.ts";

/** Limits of what a page may include. What exceeds them is left out, with a note on the page. */
export const includeLimits = {
  /** Files looked at for one page, those that included files include among them. */
  files: 500,
  /** Files that include one another. */
  depth: 5,
  /** One file, in bytes. */
  fileBytes: 1_000_000,
  /** All files of a page, in bytes. */
  bytes: 8_000_000,
  /** Lines that are put into a page. */
  lines: 100_000,
  /** Characters that are put into a page. */
  characters: 4_000_000,
  /** Characters of the files in which parts are looked for, each time counted again. */
  searched: 32_000_000,
  /** Times that something is included. */
  times: 1000,
} as const;

/** Lines of a file that go into a page. */
export interface Chosen {
  readonly ranges: readonly Range[];
  /** Characters that each of them loses at its start. */
  readonly dedent: number;
}

/** Chooses lines of a file, within the limits of the page; the end of a sentence that says why if there are none. */
export type Choose = (lines: SourceLines, selection: Selection) => Chosen | string;

/** Creates the choice for one page, which counts what it has given. */
export function createBudget(): Choose {
  const used = { times: 0, lines: 0, characters: 0, searched: 0 };
  const tooMuch = "is more than a page may include";
  return (lines, selection) => {
    used.times += 1;
    used.searched += lines.source.length;
    if (used.times > includeLimits.times || used.searched > includeLimits.searched) return tooMuch;
    const selected = select(lines, selection);
    if ("problem" in selected) return selected.problem;
    const { ranges } = selected;
    for (const [first, end] of ranges) {
      used.lines += end - first;
      used.characters += (lines.starts[end] ?? 0) - (lines.starts[first] ?? 0);
    }
    if (used.lines > includeLimits.lines || used.characters > includeLimits.characters) return tooMuch;
    return { ranges, dedent: selection.dedent === true ? indentation(lines, ranges) : 0 };
  };
}

import type { Lines } from "../blocks.ts";
import { languageOfFile } from "../language.ts";
import { lineAt } from "../markdown/lines.ts";
import type { SourceLines } from "../markdown/lines.ts";
import type { Chosen } from "./budget.ts";
import type { Fence, Include } from "./scan.ts";

/** The words behind the marker of a fence that shows a file. */
export function infoOf({ language, label, isTab, highlight }: Include, path: string, { ranges }: Chosen): string {
  const name = (language ?? languageOfFile(path)).replace(/[^\w+#.-]/g, "");
  const text = label?.replace(/["`\\\r\n]/g, "").trim() ?? "";
  const title = text === "" ? "" : isTab === true ? ` [${text}]` : ` title="${text}"`;
  const lines = highlight === undefined ? [] : highlight.ofFile ? shown(highlight.lines, ranges) : highlight.lines;
  const marks = lines.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
  return `${name}${title}${marks.length === 0 ? "" : ` {${marks.join(",")}}`}`;
}

/** Lines of a file as lines of what is shown of it. */
function shown(lines: readonly Lines[], ranges: Chosen["ranges"]): readonly Lines[] {
  let before = 0;
  return ranges.flatMap(([first, end]) => {
    const offset = before - first;
    before += end - first;
    return lines
      .map(([from, to]) => [Math.max(from, first + 1) + offset, Math.min(to, end) + offset] as const)
      .filter(([from, to]) => from <= to);
  });
}

/** The length of the longest run of a sign that may be taken for the marker of a fence; `min` at least. */
export function longestRun(lines: SourceLines, { ranges }: Chosen, sign: string, min: number): number {
  let longest = min;
  for (const [first, end] of ranges) {
    for (let line = first; line < end; line++) {
      const text = lineAt(lines, line);
      if (!text.includes(sign.repeat(longest + 1))) continue;
      const run = text.trimStart();
      let length = 0;
      while (run[length] === sign) length++;
      longest = Math.max(longest, length);
    }
  }
  return longest;
}

/** True for a fence whose text is about the writing of pages, so that an include in it may be a sample. */
export function isSample({ info }: Fence): boolean {
  return /^[\s{.]*(?:md|mdx|markdown|text|txt|html|jinja2?|liquid|django|twig|go-html-template)\b/i.test(info);
}

import type { Block, Lines, ProseBlock } from "../blocks.ts";
import { unindentCallout } from "./callouts.ts";
import { lineAt } from "./lines.ts";
import type { Range, SourceLines } from "./lines.ts";
import type { Links } from "./links.ts";
import { cleanProse } from "./prose.ts";

/** Stands for code in the prose of a container while that is cleaned, with the code's number behind it. */
const gapMark = "\u0001";
// oxlint-disable-next-line no-control-regex -- prose is without it before the marks are put in
const gap = /^[ \t>]*\u0001(\d+)[ \t]*(?:\n|$)/m;

/** The prose of a container: what stands before each block of code in it, and behind the last one; null where that is nothing. */
export function proseAround(
  codes: readonly Range[],
  place: { readonly lines: SourceLines; readonly mdx: boolean },
  links: Links,
  range: Range,
  closing: string,
): readonly (ProseBlock | null)[] {
  let parts: string[] = [];
  let next = 0;
  for (let line = range[0]; line < range[1]; line++) {
    while (next < codes.length && (codes[next]?.[1] ?? 0) <= line) next++;
    const code = codes[next];
    if (code === undefined || line < code[0]) parts.push(lineAt(place.lines, line).replaceAll(gapMark, ""));
    else if (line === code[0]) parts.push(`${gapMark}${next}`);
  }
  const callout = closing === "admonition_close";
  const isTab = callout && (parts[0] ?? "").trimStart().startsWith("===");
  if (callout) parts = unindentCallout(parts);
  else if (closing === "definition_close")
    parts = parts.map((line, index) => line.replace(index === 0 ? /^[ \t]*:[ \t]+/ : /^ {1,4}/, ""));
  const markdown = cleanProse(parts.join("\n"), place.mdx, links);
  const [first = "", ...others] = markdown.split(gap);
  const pieces = new Map([[0, first]]);
  // Code in a comment has no gap.
  for (let at = 0; at < others.length; at += 2) pieces.set(Number(others[at]) + 1, others[at + 1] ?? "");
  return Array.from({ length: codes.length + 1 }, (_, at) => {
    const prose = undented(pieces.get(at) ?? "");
    // The label of a tab without anything under it but code, which has it.
    if (!readable.test(prose) || (isTab && /^\*\*[^*\n]*\*\*$/.test(prose))) return null;
    const lines: Lines = [(codes[at - 1] ?? [0, range[0]])[1] + 1, codes[at]?.[0] ?? range[1]];
    return { type: "prose", markdown: prose, lines: [lines[0], Math.max(...lines)] };
  });
}

const readable = /[\p{L}\p{N}]/u;

/** Prose without the indentation of the item of a list that it begins in, and without empty lines at its ends, those of quotes as well. */
function undented(prose: string): string {
  let least = Infinity;
  const lines = prose.split("\n").map((line) => {
    const width = line.search(/[^ \t]/);
    if (width < 0) return "";
    least = Math.min(least, width);
    return line.slice(least);
  });
  const says = (line: string): boolean => /[^\s>]/.test(line);
  return lines
    .slice(Math.max(0, lines.findIndex(says)), lines.findLastIndex(says) + 1)
    .join("\n")
    .trimEnd();
}

/** Blocks of a container with the prose around its code; `null` stands for code that is left out. */
export function* inOrder(inside: readonly (Block | null)[], prose: readonly (ProseBlock | null)[]): Generator<Block> {
  let next = 0;
  let leads: Block[] = [];
  const before = function* (): Generator<Block> {
    const piece = prose[next++] ?? null;
    if (piece !== null) yield piece;
    yield* leads;
    leads = [];
  };
  for (const block of inside) {
    if (block !== null && block.type !== "code") leads.push(block);
    else {
      yield* before();
      if (block !== null) yield block;
    }
  }
  yield* leads;
  leads = [];
  yield* before();
}

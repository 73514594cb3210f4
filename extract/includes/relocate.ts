import type { Block, Document, Lines } from "../blocks.ts";
import { lineAt, splitLines } from "../markdown/lines.ts";
import type { Expanded } from "./expand.ts";

const marker = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:`{3,}|~{3,})/;

/** A document that was read from a text with its includes filled in, with the lines of the page, and of the code that it includes. */
export function relocate(document: Document, { text, origins }: Expanded): Document {
  const lines = splitLines(text);
  const isMarker = (line: number): boolean => marker.test(lineAt(lines, line - 1));
  const withSources = (block: Block, [first, last]: Lines): Block => {
    if (block.type !== "code") return block;
    const from = isMarker(first) ? first + 1 : first;
    const to = from > first && last > first && isMarker(last) ? last - 1 : last;
    const sources = origins.stretches([from, to]);
    return sources === undefined ? block : { ...block, sources };
  };
  const blocks = document.blocks.map((block): Block => ({
    ...withSources(block, block.lines),
    lines: origins.onPage(block.lines),
  }));
  return { ...document, blocks };
}

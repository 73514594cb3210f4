import { parseBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";

/** What an answer in the text form has of one page, without another page between. */
export interface PageGroup {
  /** Address of the page without fragment; "" where the answer names none. */
  readonly url: string;
  /** In the order of the answer, with titles and lines that name sources. */
  readonly blocks: readonly Block[];
}

/** An answer in the text form, taken apart. */
export interface TextAnswer {
  readonly groups: readonly PageGroup[];
  /** Stretches of lines that are named as sources; a source without lines is one. */
  readonly passages: number;
}

/** Dashes between two parts: only where the next one begins as a part does, since a page may have such a line itself. */
const separator = /\n+-{32}\n+(?=(?:#{1,6} [^\n]*\n+)?Source:)/;
const source = /^Source:\s+([^\s#]+)(.*)$/;

/** Takes an answer apart. Neighbours of one page are one group, whether or not the form writes them as one. */
export function parseTextAnswer(text: string): TextAnswer {
  const groups: { url: string; blocks: Block[] }[] = [];
  let passages = 0;
  for (const part of text.split(separator)) {
    const blocks = markTitles(parseBlocks(part));
    const named = blocks.flatMap(({ kind, text: line }) => (kind === "provenance" ? [source.exec(line)] : []));
    const [, url = "", ranges = ""] = named.find((found) => found !== null) ?? [];
    passages += Math.max(1, ranges.match(/L\d+(?:-L?\d+)?/g)?.length ?? 0);
    const last = groups.at(-1);
    if (last && last.url === url) last.blocks.push(...blocks);
    else groups.push({ url, blocks: [...blocks] });
  }
  return { groups, passages };
}

/** A heading before the line of the source is the form's, not the page's. */
function markTitles(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block, at) =>
    block.kind === "heading" && blocks[at + 1]?.text.startsWith("Source:") ? { ...block, kind: "title" } : block,
  );
}

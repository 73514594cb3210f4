import type { Block } from "./blocks.ts";

/** A sample of what stands under a heading, or on a page: enough to tell what kind of text it is. */
export interface TextSample {
  /** Prose, and what stands in fences that name no language. */
  readonly text: string;
  /** Headings below the one that it is taken from. */
  readonly headings: readonly string[];
  /** Number of blocks of code, and of those among them that are in a programming language. */
  readonly codes: number;
  readonly programs: number;
}

const maxBlocks = 60;
const maxText = 6000;
const noProgram = /^(?:|te?xt|plain(?:text)?|none|markdown|md)$/;

/** Takes a sample of the blocks from `from` on, up to the next heading that is not below `level`. */
export function sampleText(blocks: readonly Block[], from: number, level: number): TextSample {
  const headings: string[] = [];
  let text = "";
  let codes = 0;
  let programs = 0;
  for (const block of blocks.slice(from, from + maxBlocks)) {
    if (text.length > maxText || (block.type === "heading" && block.level <= level)) break;
    if (block.type === "heading") headings.push(block.text);
    else if (block.type !== "code") text += `${block.markdown}\n\n`;
    else {
      codes++;
      if (noProgram.test(block.language)) text += `${block.code}\n\n`;
      else programs++;
    }
  }
  return { text: text.slice(0, maxText).trim(), headings, codes, programs };
}

import type { CodeBlockFound, Lines, ParagraphBlock } from "./blocks.ts";
import type { ExtractedCode } from "./page.ts";

/** Blocks that make one example. */
export interface CodeGroup {
  /** The one that it begins with. */
  readonly first: CodeBlockFound;
  readonly codes: ExtractedCode[];
  lines: Lines;
  description: string;
  /** The description is its own, not that of the code before or the paragraph behind. */
  readonly own: boolean;
  /** What a tab, or a label in bold before it, calls it; "" without. */
  readonly label: string;
  /** Labels of the tabs it is made of, in order. */
  readonly tabs: string[];
  /** The number of the group of tabs that it is; undefined for any other. */
  readonly joint: number | undefined;
  /** The paragraph that is nothing but the label of its first tab. */
  readonly marked: ParagraphBlock | undefined;
}

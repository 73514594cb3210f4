import type { StateBlock } from "markdown-it";
import { lineStart } from "./block-state.ts";

/**
 * A block rule for what a definition list says of a term: a line that begins with a colon and blanks, and what is indented
 * below it (Python-Markdown, "Definition Lists"; Goldmark, PHP Markdown Extra). Without it fences in it would be indented code.
 */
export function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const from = lineStart(state, startLine);
  if (state.src.charCodeAt(from) !== 58) return false;
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const width = /^:(?: {1,3}|\t)(?=[^ \t\r\n])/.exec(state.src.slice(from, from + 6))?.[0].length ?? 0;
  if (width === 0) return false;
  if (silent) return true;

  const opening = state.push("definition_open", "dd", 1);
  const lines: [number, number] = [startLine, 0];
  opening.map = lines;
  const { blkIndent, parentType, tight } = state;
  const shift = state.tShift[startLine] ?? 0;
  state.tShift[startLine] = shift + width;
  state.sCount[startLine] = indent + width;
  state.blkIndent = indent + width;
  state.parentType = "list";
  state.line = startLine;
  state.md.block.tokenize(state, startLine, endLine);
  state.tShift[startLine] = shift;
  state.sCount[startLine] = indent;
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  state.tight = tight;
  lines[1] = state.line;
  state.push("definition_close", "dd", -1);
  return true;
}

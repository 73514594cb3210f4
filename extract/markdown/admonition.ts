import type { StateBlock } from "markdown-it";
import { lineStart } from "./block-state.ts";

/** `!!! note "Title"`, `??? tip`, `=== "Tab"` of Python-Markdown and Material for MkDocs (its reference, "Admonitions", "Content tabs"). */
const marker = /^(?:(?:!!!|\?\?\?\+?) ?[a-z]|===[!+]? {0,2}["'])/i;

/**
 * A block rule for markers whose content is the lines behind them that are indented by four more. Without it such
 * content, fences and all, would be indented code. A tab's tokens have its label as `info`, those of callouts have none.
 */
export function admonition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const from = lineStart(state, startLine);
  const first = state.src.charCodeAt(from);
  if (first !== 33 && first !== 63 && first !== 61) return false;
  if (!marker.test(state.src.slice(from, from + 8))) return false;
  if (silent) return true;

  const opening = state.push("admonition_open", "div", 1);
  const lines: [number, number] = [startLine, 0];
  opening.map = lines;
  opening.info = first === 61 ? tabLabel(state.src.slice(from, state.eMarks[startLine])) : "";
  const { blkIndent, parentType } = state;
  state.blkIndent = indent + 4;
  state.parentType = "blockquote";
  state.line = startLine + 1;
  state.md.block.tokenize(state, startLine + 1, endLine);
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  lines[1] = state.line;
  state.push("admonition_close", "div", -1).info = opening.info;
  return true;
}

/** What stands on a tab, never "". */
function tabLabel(line: string): string {
  return /["'](.{1,60})["']/.exec(line)?.[1]?.trim() || "Tab";
}

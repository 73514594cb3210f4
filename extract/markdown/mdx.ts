import type { StateBlock } from "markdown-it";

const statement = /^(?:import\s*(?:["'{*]|[\w$]+[\s,])|export\s+(?:const|let|var|function|async|class|default|\{|\*))/;

/** A block rule for the imports and exports of MDX (mdxjs.com, "ESM"): they go on until a blank line outside of brackets. */
export function mdxExports(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.level > 0 || state.sCount[startLine] !== 0) return false;
  if (!statement.test(state.src.slice(state.bMarks[startLine], (state.bMarks[startLine] ?? 0) + 80))) return false;
  if (silent) return true;
  let open = 0;
  let line = startLine;
  for (; line < endLine; line++) {
    if (state.isEmpty(line)) {
      if (open <= 0) break;
      continue;
    }
    const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
    // Brackets in strings mislead the count; a fence or heading shows that the statement ended before.
    if (line > startLine && /^(?:`{3}|~{3}|#{1,6} )/.test(text)) break;
    for (const [bracket] of text.matchAll(/[(){}[\]]/g)) open += "({[".includes(bracket) ? 1 : -1;
  }
  state.line = line;
  state.push("mdx_esm", "", 0).map = [startLine, line];
  return true;
}

/** A comment that is not closed within so many characters is taken for text; it keeps the cost linear. */
const maxComment = 20_000;

/** A block rule for comments that may hold blank lines: those of MDX, and of HTML, which older documents have. */
export function mdxComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const html = state.src.startsWith("<!--", start);
  if (!html && !state.src.startsWith("{/*", start)) return false;
  const length = state.src.slice(start, start + maxComment).indexOf(html ? "-->" : "*/}", 3);
  if (length < 0) return false;
  let line = startLine;
  while (line + 1 < endLine && (state.bMarks[line + 1] ?? 0) <= start + length) line++;
  // Text behind the comment is the paragraph's.
  if (state.src.slice(start + length + 3, state.eMarks[line]).trim() !== "") return false;
  if (silent) return true;
  state.line = line + 1;
  state.push("mdx_comment", "", 0).map = [startLine, line + 1];
  return true;
}

/** The parser's fence rule (CommonMark 0.31, section 4.5) for MDX, where a fence may stand at any indentation. */
export function mdxFence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const end = state.eMarks[startLine] ?? 0;
  const marker = state.src.charCodeAt(start);
  if (marker !== 96 && marker !== 126) return false;
  const length = state.skipChars(start, marker) - start;
  if (length < 3) return false;
  const info = state.src.slice(start + length, end);
  if (marker === 96 && info.includes("`")) return false;
  if (silent) return true;

  let line = startLine + 1;
  let closed = false;
  for (; line < endLine && !closed; line++) {
    const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
    const to = state.eMarks[line] ?? 0;
    if (from < to && (state.sCount[line] ?? 0) < state.blkIndent) break;
    const behind = state.skipChars(from, marker);
    closed = behind - from >= length && state.skipSpaces(behind) >= to;
  }
  state.line = line;
  const token = state.push("fence", "code", 0);
  token.info = info;
  token.markup = state.src.slice(start, start + length);
  token.content = state.getLines(startLine + 1, closed ? line - 1 : line, state.sCount[startLine] ?? 0, true);
  token.map = [startLine, line];
  return true;
}

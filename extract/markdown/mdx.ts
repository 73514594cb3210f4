import type { StateBlock } from "markdown-it";
import { closingOf, componentLinesOf, lineStart, type BlockRule } from "./block-state.ts";
import { startsComponent } from "./component-lines.ts";

/** Wrappers of block rules, by rule name, that read lines between the tags of components as MDX. */
export const betweenTags: Readonly<Record<string, (rule: BlockRule) => BlockRule>> = {
  code: (rule) => (state, startLine, endLine, silent) =>
    !componentLinesOf(state).isInside(startLine) && rule(state, startLine, endLine, silent),
  fence: (rule) => (state, startLine, endLine, silent) =>
    (componentLinesOf(state).isFence(startLine) ? componentFence : rule)(state, startLine, endLine, silent),
  blockquote: (rule) => (state, startLine, endLine, silent) =>
    !componentLinesOf(state).endsTag(startLine) && rule(state, startLine, endLine, silent),
  html_block: (rule) => (state, startLine, endLine, silent) => {
    const start = lineStart(state, startLine);
    const line = state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 100));
    if (componentLinesOf(state).isMdx || !line.startsWith("<") || startsComponent(line)) return false;
    // Elements whose text is not parsed have an end of their own.
    const isWhole = silent || /^<(?:[!?]|(?:pre|script|style|textarea)(?=[\s>]))/i.test(line);
    return rule(state, startLine, isWhole ? endLine : beforeFence(state, startLine, endLine), silent);
  },
  ...Object.fromEntries(
    ["reference", "lheading", "paragraph"].map((name) => [
      name,
      (rule: BlockRule): BlockRule =>
        (state, startLine, endLine, silent) =>
          rule(state, startLine, beforeFence(state, startLine, endLine), silent),
    ]),
  ),
};

function beforeFence(state: StateBlock, startLine: number, endLine: number): number {
  return Math.min(endLine, componentLinesOf(state).nextFence(startLine));
}

const statement = /^(?:import\s*(?:["'{*]|[\w$]+[\s,])|export\s+(?:const|let|var|function|async|class|default|\{|\*))/;

/** A block rule for the imports and exports of MDX (mdxjs.com, "ESM"), which end at a blank line outside of brackets. */
const mdxExports: BlockRule = (state, startLine, endLine, silent) => {
  if (state.level > 0 || state.sCount[startLine] !== 0) return false;
  if (!statement.test(state.src.slice(state.bMarks[startLine], (state.bMarks[startLine] ?? 0) + 80))) return false;
  if (silent) return true;
  const [line, inLiteral] = endOfStatement(state, startLine, endLine, true);
  // An unclosed literal may be a backtick in a string or comment.
  state.line = inLiteral ? endOfStatement(state, startLine, endLine, false)[0] : line;
  state.push("mdx_esm", "", 0).map = [startLine, state.line];
  return true;
};

/** The line after a statement, and whether a template literal is open there; `literals`: Markdown in literals does not end the statement. */
function endOfStatement(
  state: StateBlock,
  startLine: number,
  endLine: number,
  literals: boolean,
): readonly [number, boolean] {
  let open = 0;
  let inLiteral = false;
  let line = startLine;
  for (; line < endLine; line++) {
    if (state.isEmpty(line)) {
      if (open <= 0) break;
      continue;
    }
    const text = state.src.slice(state.bMarks[line], state.eMarks[line]);
    // Brackets in strings distort the count, but a fence or heading is never part of the statement.
    if (line > startLine && !inLiteral && /^(?:`{3}|~{3}|#{1,6} )/.test(text)) break;
    for (const [sign] of text.matchAll(/\\.|[(){}[\]`]/g)) {
      if (sign === "`") inLiteral = literals && !inLiteral;
      else if (sign.length === 1) open += "({[".includes(sign) ? 1 : -1;
    }
  }
  return [line, inLiteral];
}

const exported =
  /^export\s{1,5}(?:(?:const|let|var)\s{1,5}[\w$]{1,60}\s{0,5}=|(?:default\s{1,5})?(?:async\s{1,5})?function\s{1,5}[\w$]{1,60}\s{0,5}\()/;

/** A block rule for imports and exports. In pages that are MDX without saying so imports are not included, as they read like sentences. */
export const moduleLines: BlockRule = (state, startLine, endLine, silent) => {
  const start = state.bMarks[startLine] ?? 0;
  if (componentLinesOf(state).isMdx) return mdxExports(state, startLine, endLine, silent);
  return exported.test(state.src.slice(start, start + 160)) && mdxExports(state, startLine, endLine, silent);
};

/** A block rule for comments with blank lines, of MDX and, in older documents, of HTML. */
export function mdxComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  const html = state.src.startsWith("<!--", start);
  if (!componentLinesOf(state).isMdx || (!html && !state.src.startsWith("{/*", start))) return false;
  const closing = closingOf({ state, mark: html ? "-->" : "*/}", from: start + 3 });
  // Text after the comment makes it part of a paragraph.
  if (closing.at < 0 || !closing.last) return false;
  if (silent) return true;
  let line = startLine;
  while (line + 1 < endLine && (state.bMarks[line + 1] ?? 0) <= closing.at) line++;
  state.line = line + 1;
  state.push("mdx_comment", "", 0).map = [startLine, line + 1];
  return true;
}

/** The parser's fence rule (CommonMark 0.31, section 4.5) with any indentation. A line that is indented by four more does not close the fence. */
const componentFence: BlockRule = (state, startLine, endLine, silent) => {
  const start = lineStart(state, startLine);
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
    const from = lineStart(state, line);
    const to = state.eMarks[line] ?? 0;
    if (from < to && (state.sCount[line] ?? 0) < state.blkIndent) break;
    const markerEnd = state.skipChars(from, marker);
    closed =
      markerEnd - from >= length &&
      state.skipSpaces(markerEnd) >= to &&
      (state.sCount[line] ?? 0) < (state.sCount[startLine] ?? 0) + 4;
  }
  state.line = line;
  const token = state.push("fence", "code", 0);
  token.info = info;
  token.markup = state.src.slice(start, start + length);
  token.content = state.getLines(startLine + 1, closed ? line - 1 : line, state.sCount[startLine] ?? 0, true);
  token.map = [startLine, line];
  return true;
};

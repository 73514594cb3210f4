import type { Env, StateBlock } from "markdown-it";
import { closingOf, lineStart, maxMissed, tagEndOf } from "./block-state.ts";
import { isComponent } from "./component-lines.ts";

/** Maximum length of a table of HTML that is taken as a whole, in characters. */
const maxTableLength = 200_000;

interface TableEnv extends Env {
  missedTables?: number;
}

/**
 * A block rule for tables of HTML with blank lines in them: in CommonMark a blank line ends the HTML, and the rest of the table is text.
 * Tables with fences are left to CommonMark, so that these are blocks.
 */
export function htmlTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!state.src.startsWith("<table", start) || !/[\s>]/.test(state.src[start + 6] ?? "")) return false;
  if (silent) return true;
  const env: TableEnv = state.env;
  const last = (env.missedTables ?? 0) < maxMissed ? lastLineOfTable(state, startLine, start) : -1;
  if (last < 0 || last >= endLine) {
    env.missedTables = (env.missedTables ?? 0) + 1;
    return false;
  }
  state.line = last + 1;
  const token = state.push("html_block", "", 0);
  token.map = [startLine, state.line];
  token.content = state.getLines(startLine, state.line, state.blkIndent, true);
  return true;
}

function lastLineOfTable(state: StateBlock, line: number, start: number): number {
  if (closingOf({ state, mark: "</table>", from: start }).at < 0) return -1;
  const text = state.src.slice(start, start + maxTableLength);
  let depth = 0;
  for (const { index, 1: slash } of text.matchAll(/<(\/?)table(?=[\s>])/g)) {
    depth += slash === "/" ? -1 : 1;
    if (depth > 0) continue;
    if (/^[ \t>]*(?:`{3}|~{3})/m.test(text.slice(0, index))) return -1;
    let last = line;
    while ((state.eMarks[last] ?? Infinity) < start + index) last++;
    return last;
  }
  return -1;
}

/** A block rule for a component's tag that goes on over blank lines, as one with a drawing among its attributes does. */
export function longTag(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!/^<(?:[A-Z]|[a-z]{1,20}-)/.test(state.src.slice(start, start + 30)) || silent) return false;
  const end = tagEndOf(state, start);
  if (end <= 0 || !/\n[ \t]*\n/.test(state.src.slice(start, end))) return false;
  let last = startLine;
  while ((state.eMarks[last] ?? Infinity) < end) last++;
  if (last >= endLine) return false;
  state.line = last + 1;
  const map: [number, number] = [startLine, state.line];
  state.push("paragraph_open", "p", 1).map = map;
  const token = state.push("inline", "", 0);
  token.map = map;
  token.content = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  token.children = [];
  state.push("paragraph_close", "p", -1);
  return true;
}

/** Elements whose tags end a paragraph (CommonMark 0.31, 4.6, condition 6), as far as they hold blocks. */
const endsParagraphs =
  /^(?:article|aside|blockquote|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|header|li|main|menu|nav|ol|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/i;

/** A rule that only ends what is above it: a closing tag of a component, or of an element that holds blocks, ends an item of a list. */
export function closingTag(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  if (!silent || (state.sCount[startLine] ?? 0) >= state.blkIndent) return false;
  const start = lineStart(state, startLine);
  const name = /^<\/([A-Za-z][\w.:-]{0,60})>\s*$/.exec(
    state.src.slice(start, state.eMarks[startLine]).slice(0, 100),
  )?.[1];
  return name !== undefined && (isComponent(name) || endsParagraphs.test(name));
}

const identifier = /^:::[ \t]+[A-Za-z_][\w.:/-]{0,200}[ \t]*$/;
const setting = /^[ \t]+(?:options|handler|selection|rendering|extra|inventory|filters|members)[ \t]*:/;

/** A block rule for `::: package.module` with its settings in YAML (mkdocstrings, "Usage"), which a generator replaces by what it reads from code: it is dropped. */
export function autodoc(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = lineStart(state, startLine);
  if (!state.src.startsWith(":::", start)) return false;
  const text = state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 300));
  if (!identifier.test(text)) return false;
  const indent = state.sCount[startLine] ?? 0;
  let line = startLine + 1;
  const isDeeper = (at: number): boolean => !state.isEmpty(at) && (state.sCount[at] ?? 0) > indent + 1;
  const next = state.src.slice(state.bMarks[line], (state.bMarks[line] ?? 0) + 200);
  const hasSettings = line < endLine && isDeeper(line) && setting.test(next);
  // The name of a container has no dot.
  if (!hasSettings && !/\w\.[A-Za-z_]/.test(text)) return false;
  if (silent) return true;
  while (hasSettings && line < endLine && (isDeeper(line) || (state.isEmpty(line) && isDeeper(line + 1)))) line++;
  state.line = line;
  state.push("autodoc", "", 0).map = [startLine, line];
  return true;
}

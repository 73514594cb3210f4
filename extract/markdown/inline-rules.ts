import type { MarkdownIt, StateInline } from "markdown-it";
import { unfinishedIn } from "./block-state.ts";
import { inlineMarker } from "./markers.ts";
import { markupEnd } from "./tags.ts";

/** Adds the rules for what is not in CommonMark, and those of its rules that the dialects change, to a parser. */
export function addInlineRules({ inline: { ruler } }: MarkdownIt): void {
  ruler.at("html_inline", tag);
  ruler.before("escape", "math", math);
  ruler.before("link", "footnote_ref", footnote);
  ruler.before("entity", "marker", marker);
}

/** Tags of HTML and JSX, whose attributes may be expressions, and comments. */
function tag(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 60) return false;
  const end = markupEnd(src, pos, unfinishedIn(state.env));
  if (end === 0) return false;
  if (!silent && !/^<[!?]/.test(src.slice(pos, pos + 2))) state.push("tag", "", 0).content = src.slice(pos, end);
  state.pos = end;
  return true;
}

/**
 * Formulas of TeX: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. A dollar sign next to a blank on its inside, or to a letter or digit on its outside,
 * is one of money or of a variable (Pandoc's manual, "tex_math_dollars").
 */
const formula =
  /\$\$[^$]{1,2000}\$\$|(?<![\p{L}\p{N}\\$])\$(?![\s$])(?:[^$\\\n`]|\\.|\n(?!\s*\n)){0,500}?(?<![\s\\])\$(?![\p{L}\p{N}])|\\\((?:[^\\\n]|\\(?!\)).){1,1000}?\\\)|\\\[(?:[^\\]|\\(?!\]).){1,2000}?\\\]/gu;

const sticky = new RegExp(formula.source, "uy");

/** Changes a text outside of its formulas. */
export function outsideFormulas(source: string, change: (text: string) => string): string {
  if (!/\$|\\[([]/.test(source)) return change(source);
  let text = "";
  let kept = 0;
  for (const { index, 0: found } of source.matchAll(formula)) {
    text += change(source.slice(kept, index)) + found;
    kept = index + found.length;
  }
  return text + change(source.slice(kept));
}

function math(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const char = src.charCodeAt(pos);
  if (char !== 36 && !(char === 92 && (src[pos + 1] === "(" || src[pos + 1] === "["))) return false;
  const from = Math.max(0, pos - 1);
  sticky.lastIndex = pos - from;
  const match = sticky.exec(src.slice(from, pos + 2100))?.[0];
  if (match === undefined) return false;
  if (!silent) state.push("math", "", 0).content = match;
  state.pos += match.length;
  return true;
}

function footnote(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 91 || src.charCodeAt(pos + 1) !== 94) return false;
  const label = /^\[\^([^\]\s[]{1,100})\]/.exec(src.slice(pos, pos + 110));
  if (label === null) return false;
  if (!silent) state.push("footnote_ref", "", 0).content = label[1] ?? "";
  state.pos += label[0].length;
  return true;
}

function marker(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 123 || src.charCodeAt(pos + 1) !== 37) return false;
  const found = inlineMarker(src.slice(pos, pos + 400));
  if (found === undefined) return false;
  if (!silent) state.push("marker", "", 0).content = found;
  state.pos += found.length;
  return true;
}

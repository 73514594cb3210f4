import type { Env, StateBlock } from "markdown-it";
import type { findComponentLines } from "./component-lines.ts";
import type { Unfinished } from "./tags.ts";

/** A block rule of markdown-it. */
export type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** Queries of block rules about the parser's state. Results are cached in its environment, which keeps the cost linear. */

interface SearchEnv extends Env {
  unfinished?: Unfinished;
  /** The last result of `closingOf` for each mark, which most comments share. */
  closings?: Map<string, Closing>;
  isMyst?: boolean;
}

/** The offset of a line's first character that is not indentation. */
export function lineStart(state: StateBlock, line: number): number {
  return (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
}

/** The line, at or after `from`, that an offset is on. */
export function lineOf(state: StateBlock, offset: number, from: number): number {
  let line = from;
  while ((state.eMarks[line] ?? Infinity) < offset) line++;
  return line;
}

/** The lines between the tags of components. */
export function componentLinesOf({ env }: StateBlock): ReturnType<typeof findComponentLines> {
  return (env as ParserEnv).components;
}

/** What the parser is given with a text. */
export interface ParserEnv extends Env {
  readonly components: ReturnType<typeof findComponentLines>;
}

/** What the rules have searched for on a page in vain. */
export function unfinishedIn(env: SearchEnv): Unfinished {
  return (env.unfinished ??= {});
}

/** Whether a page has a directive or a target of MyST. */
export function isMyst({ env, src }: StateBlock): boolean {
  const search: SearchEnv = env;
  return (search.isMyst ??= /^[ \t]*(?:`{3,}|~{3,}|:{3,})\{[a-z]|^\([^\s()]{1,100}\)=/m.test(src));
}

interface Closing {
  /** Where the search began. */
  readonly from: number;
  /** Offset of the mark; negative without one. */
  readonly at: number;
  /** Only blanks follow it on its line. */
  readonly last: boolean;
}

/** The first mark at or after an offset. */
export function closingOf({ state, mark, from }: { state: StateBlock; mark: string; from: number }): Closing {
  const env: SearchEnv = state.env;
  const cache = (env.closings ??= new Map());
  const last = cache.get(mark);
  if (last !== undefined && from >= last.from && (last.at < 0 || from <= last.at)) return last;
  const at = state.src.indexOf(mark, from);
  const rest = state.src.slice(at + mark.length, state.src.indexOf("\n", at));
  const closing = { from, at, last: rest.trim() === "" };
  cache.set(mark, closing);
  return closing;
}

/** A block that holds blocks, as its opening and closing tokens. */
export interface Container {
  readonly type: string;
  readonly info: string;
  /** The label of a callout or footnote. */
  readonly label?: string;
  /** The number of rows of a table that are its head. */
  readonly header?: string;
  readonly parentType: StateBlock["parentType"];
  /** Indentation of the content. */
  readonly indent: number;
}

/** Parses the content of a container, which starts on the line `from`, between an opening and a closing token. */
export function pushContainer(
  state: StateBlock,
  { type, info, label, header, parentType, indent }: Container,
  [startLine, from, endLine]: readonly [number, number, number],
): void {
  const opening = state.push(`${type}_open`, "div", 1);
  const lines: [number, number] = [startLine, 0];
  Object.assign(opening, { map: lines, info, meta: { label, header } });
  const outer = { blkIndent: state.blkIndent, parentType: state.parentType, tight: state.tight };
  Object.assign(state, { blkIndent: indent, parentType, line: from });
  state.md.block.tokenize(state, from, endLine);
  Object.assign(state, outer);
  lines[1] = state.line;
  state.push(`${type}_close`, "div", -1).info = info;
}

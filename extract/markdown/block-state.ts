import type { Env, StateBlock } from "markdown-it";
import type { findComponentLines } from "./component-lines.ts";
import type { Unfinished } from "./tags.ts";

/** Queries of block rules about the parser's state. Results are cached in its environment, which keeps the cost linear. */

interface SearchEnv extends Env {
  unfinished?: Unfinished;
  /** The last result of `closingOf` for each mark, which most comments share. */
  closings?: Map<string, Closing>;
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

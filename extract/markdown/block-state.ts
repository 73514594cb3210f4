import type { Env, StateBlock } from "markdown-it";
import { tagEnd } from "./tags.ts";

/** Queries of block rules about the parser's state. Results are cached in its environment, which keeps the cost linear. */

/** Number of tables and of tags without an end after which no others are searched for on a page. */
const maxMissed = 20;

interface SearchEnv extends Env {
  unfinishedTags?: number;
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

/** The end of the tag at an offset; zero or negative without an end. */
export function tagEndOf(state: StateBlock, start: number): number {
  const env: SearchEnv = state.env;
  if ((env.unfinishedTags ?? 0) >= maxMissed) return 0;
  const end = tagEnd(state.src, start);
  if (end < 0) env.unfinishedTags = (env.unfinishedTags ?? 0) + 1;
  return end;
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

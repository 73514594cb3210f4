import type { Env, StateBlock } from "markdown-it";
import { tagEnd } from "./tags.ts";

/** What block rules ask of the parser's state. What they have found out about the text is kept in its environment, so that the cost stays linear. */

/** Maximum number of tables and tags without an end on a page: behind it no others are searched for. */
export const maxMissed = 20;

interface SearchEnv extends Env {
  unfinishedTags?: number;
  /** The last answer of `closingOf` for each mark; most comments ask for the same one. */
  closings?: Map<string, Closing>;
}

/** The offset of a line's first character that is not indentation. */
export function lineStart(state: StateBlock, line: number): number {
  return (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
}

/** Where the tag that begins at an offset ends; zero or negative without an end. */
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
  /** Where the mark begins; negative if there is none. */
  readonly at: number;
  /** Nothing but blanks is behind it on its line. */
  readonly last: boolean;
}

/** The first mark at or behind an offset. */
export function closingOf({ state, mark, from }: { state: StateBlock; mark: string; from: number }): Closing {
  const env: SearchEnv = state.env;
  const known = (env.closings ??= new Map());
  const last = known.get(mark);
  if (last !== undefined && from >= last.from && (last.at < 0 || from <= last.at)) return last;
  const at = state.src.indexOf(mark, from);
  const behind = state.src.slice(at + mark.length, state.src.indexOf("\n", at));
  const closing = { from, at, last: behind.trim() === "" };
  known.set(mark, closing);
  return closing;
}

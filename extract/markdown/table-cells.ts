import type { Env, StateBlock, Token } from "markdown-it";
import type { BlockRule } from "./block-state.ts";

/** Stands for a bar within a template tag; a noncharacter of Unicode. */
const bar = "\uFDD0";
const templateTag = /\{[{%][^\n{}]{0,300}[}%]\}/g;

interface TableEnv extends Env {
  /** The text with the bars in template tags replaced, which is made once. */
  masked?: string;
}

/**
 * Makes the rule for tables keep what GFM drops: a bar in a template tag, such as `{{ a | b }}`, ends no cell, and cells beyond the last
 * column are part of the last one.
 */
export function keepingCells(rule: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    const env: TableEnv = state.env;
    const { src, tokens } = state;
    const first = tokens.length;
    state.src = env.masked ??= masked(src);
    const isTable = rule(state, startLine, endLine, silent);
    const text = state.src;
    state.src = src;
    if (!isTable || silent) return isTable;
    let line = startLine;
    let cells: Token[] = [];
    for (const token of tokens.slice(first)) {
      if (token.type === "tr_open") [line, cells] = [token.map?.[0] ?? startLine, []];
      else if (token.type === "inline") cells.push(token);
      else if (token.type === "tr_close") {
        const all = cellsOf(text, state, line);
        const last = cells.at(-1);
        if (last !== undefined && all.length > cells.length) last.content = all.slice(cells.length - 1).join(" | ");
        for (const cell of cells) cell.content = cell.content.replaceAll(bar, "|");
      }
    }
    return true;
  };
}

function masked(text: string): string {
  if (!/\{[{%]/.test(text) || text.includes(bar)) return text;
  return text.replace(templateTag, (tag) => tag.replaceAll("|", bar));
}

/** The cells that a line has, whatever the number of columns. */
function cellsOf(text: string, state: StateBlock, line: number): readonly string[] {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const row = text.slice(start, state.eMarks[line]).trim();
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells;
}

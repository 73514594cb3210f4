import { estimateTokens } from "../domain/tokens.ts";
import { closesFence } from "./markdown/fences.ts";

/**
 * Cuts Markdown into parts of at most `maxTokens` estimated tokens: between paragraphs, list items and table rows, else between
 * sentences, words or characters. A part that begins within a table repeats its head. The content of a fence is not cut.
 */
export function splitProse(markdown: string, maxTokens: number): string[] {
  const parts: string[] = [];
  let current = "";
  let tokens = 0;
  for (const { text, head } of piecesOf(markdown, maxTokens)) {
    const cost = estimateTokens(text) + 1;
    if (current !== "" && tokens + cost > maxTokens) {
      parts.push(current);
      const headCost = estimateTokens(head) + 1;
      [current, tokens] = headCost + cost > maxTokens ? ["", 0] : [head, headCost];
    }
    current += text;
    tokens += cost;
  }
  return [...parts, current].map((part) => part.replace(/^(?:[ \t]*\n)+/, "").trimEnd()).filter((part) => part !== "");
}

interface Piece {
  /** Its text, with the blanks and line ends after it. */
  readonly text: string;
  /** For a table row, the first two lines of its table; otherwise "". */
  readonly head: string;
}

/** Beginnings of lines that continue no paragraph: items, headings and rows. */
const beginning = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|\|)/;
const fence = /^[ \t>]*(`{3,}|~{3,})/;
const row = /^[ \t>]*\|/;
const rule = /^[ \t>]*\|[ \t]*:?-[-: \t|]*$/;

function* piecesOf(markdown: string, maxTokens: number): Generator<Piece> {
  let head = "";
  for (const text of atomsOf(markdown)) {
    if (!row.test(text)) head = "";
    yield* smaller(text, maxTokens, head);
    const [first = "", second = ""] = text.split("\n", 2);
    if (row.test(first) && rule.test(second)) head = `${first}\n${second}\n`;
  }
}

/** Paragraphs, items and rows, each with its continuation lines; the head of a table stays with its first row. */
function* atomsOf(markdown: string): Generator<string> {
  let open: string[] = [];
  let last = "";
  let marker = "";
  for (const line of markdown.split(/(?<=\n)/)) {
    const [, opening = ""] = fence.exec(line) ?? [];
    const isFenced = marker !== "";
    if (marker === "") marker = opening;
    else if (closesFence(line.trim(), marker)) marker = "";
    const isFirst = !isFenced && marker !== "";
    const begins = !isFenced && line.trim() !== "" && (isFirst || last.trim() === "" || beginning.test(line));
    const isHead = row.test(line) && (rule.test(line.trimEnd()) || rule.test(last.trimEnd()));
    if (open.length > 0 && begins && !isHead) {
      yield open.join("");
      open = [];
    }
    open.push(line);
    last = line;
  }
  yield open.join("");
}

function* smaller(text: string, maxTokens: number, head: string): Generator<Piece> {
  if (fence.test(text) || estimateTokens(text) <= maxTokens) {
    yield { text, head };
    return;
  }
  for (const sentence of text.split(/(?<=[.!?]\s)/)) {
    if (estimateTokens(sentence) <= maxTokens) yield { text: sentence, head };
    // Most characters cost at most one token, so a part of this length is never too large.
    else
      for (const word of sentence.split(/(?<=\s)/))
        for (const part of hardParts(word, Math.floor(maxTokens / 2))) yield { text: part, head };
  }
}

function* hardParts(word: string, length: number): Generator<string> {
  for (let at = 0; at < word.length;) {
    let end = Math.min(at + length, word.length);
    // Never between the halves of a surrogate pair.
    if (end < word.length && /[\uD800-\uDBFF]/.test(word[end - 1] ?? "")) end--;
    yield word.slice(at, end);
    at = end;
  }
}

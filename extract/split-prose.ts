import { estimateTokens } from "../domain/tokens.ts";

/** Cuts Markdown into parts of at most `maxTokens` estimated tokens: between lines, then sentences, then words, then anywhere. */
export function splitProse(markdown: string, maxTokens: number): string[] {
  const lines = markdown.split("\n").flatMap((line) => splitLine(line, maxTokens));
  return fill(lines, maxTokens, "\n");
}

/** A character is a token at most, save for rare ones, so that this many never make too large a part. */
function splitLine(line: string, maxTokens: number): string[] {
  if (estimateTokens(line) <= maxTokens) return [line];
  const sentences = line.split(/(?<=[.!?]) /);
  const pieces = sentences.flatMap((sentence) =>
    estimateTokens(sentence) <= maxTokens ? [sentence] : splitWords(sentence, maxTokens),
  );
  return fill(pieces, maxTokens, " ");
}

function splitWords(sentence: string, maxTokens: number): string[] {
  const words = sentence
    .split(" ")
    .flatMap((word) => (word.length <= maxTokens / 2 ? [word] : hardParts(word, Math.floor(maxTokens / 2))));
  return fill(words, maxTokens, " ");
}

function hardParts(word: string, length: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < word.length;) {
    let end = Math.min(at + length, word.length);
    // Not between the two halves of a character.
    if (end < word.length && /[\uD800-\uDBFF]/.test(word[end - 1] ?? "")) end--;
    parts.push(word.slice(at, end));
    at = end;
  }
  return parts;
}

function fill(pieces: readonly string[], maxTokens: number, separator: string): string[] {
  const parts: string[] = [];
  let current: string[] = [];
  let tokens = 0;
  for (const piece of pieces) {
    const cost = estimateTokens(piece) + 1;
    if (current.length > 0 && tokens + cost > maxTokens) {
      parts.push(current.join(separator));
      current = [];
      tokens = 0;
    }
    current.push(piece);
    tokens += cost;
  }
  if (current.length > 0) parts.push(current.join(separator));
  return parts.filter((part) => part.trim() !== "");
}

import { oneLine } from "../domain/one-line.ts";

/** Splits a one-line text into sentences. It may split after an abbreviation too, which does no harm. */
export function toSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?:][)"'’”]?)\s+(?=["'`“(]?[\p{Lu}\d])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** The last sentences, at most `count` and `length` characters; a single longer one is cut at a word. */
export function lastSentences(text: string, count: number, length: number): string {
  const sentences = toSentences(text);
  let result = sentences.at(-1) ?? "";
  for (const sentence of sentences.slice(-count, -1).toReversed()) {
    if (sentence.length + 1 + result.length > length) break;
    result = `${sentence} ${result}`;
  }
  return cutAtWord(result, length);
}

/** The first sentences within `length` characters; a single longer one is cut at a word. */
export function firstSentences(text: string, length: number): string {
  const [first = "", ...others] = toSentences(text);
  let result = first;
  for (const sentence of others) {
    if (result.length + 1 + sentence.length > length) break;
    result += ` ${sentence}`;
  }
  return cutAtWord(result, length);
}

/** Joins texts as `a, b and c`; beyond `most` as `a, b and others`. */
export function joinList(texts: readonly string[], most = Infinity): string {
  if (texts.length < 2) return texts.join("");
  const last = texts.length > most ? "others" : (texts.at(-1) ?? "");
  return `${texts.slice(0, Math.min(most, texts.length - 1)).join(", ")} and ${last}`;
}

/** The first 10,000 characters of a text on one line. */
export function asOneLine(text: string): string {
  return oneLine(text.slice(0, 10_000));
}

/** Truncates a text to `length` characters with an ellipsis, between words if possible. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1);
  const space = head.lastIndexOf(" ");
  return `${(space > length / 2 ? head.slice(0, space) : head).replace(/(?<![\s,;:.\uD800-\uDBFF])[\s,;:.\uD800-\uDBFF]+$/, "")}…`;
}

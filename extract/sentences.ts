import { oneLine } from "../domain/one-line.ts";

/** The sentences of a text on one line. Abbreviations may be taken for ends; that costs nothing here. */
export function toSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?:][)"'’”]?)\s+(?=["'`“(]?[\p{Lu}\d])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** The last sentences that fit: limited in number and in characters. One that does not fit is cut at a word. */
export function lastSentences(text: string, count: number, length: number): string {
  const sentences = toSentences(text);
  let result = sentences.at(-1) ?? "";
  for (const sentence of sentences.slice(-count, -1).toReversed()) {
    if (sentence.length + 1 + result.length > length) break;
    result = `${sentence} ${result}`;
  }
  return cutAtWord(result, length);
}

/** The first sentences that fit; one that does not fit is cut at a word. */
export function firstSentences(text: string, length: number): string {
  const [first = "", ...others] = toSentences(text);
  let result = first;
  for (const sentence of others) {
    if (result.length + 1 + sentence.length > length) break;
    result += ` ${sentence}`;
  }
  return cutAtWord(result, length);
}

/** `a, b and c`; of more than `most` the rest are "others". */
export function listed(texts: readonly string[], most = Infinity): string {
  if (texts.length < 2) return texts.join("");
  const last = texts.length > most ? "others" : (texts.at(-1) ?? "");
  return `${texts.slice(0, Math.min(most, texts.length - 1)).join(", ")} and ${last}`;
}

/** The beginning of a text, at most 10,000 characters of it, on one line. */
export function asOneLine(text: string): string {
  return oneLine(text.slice(0, 10_000));
}

/** The text, or as much of it as fits with an ellipsis, cut between words where there are any. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1);
  const space = head.lastIndexOf(" ");
  return `${(space > length / 2 ? head.slice(0, space) : head).replace(/(?<![\s,;:.\uD800-\uDBFF])[\s,;:.\uD800-\uDBFF]+$/, "")}…`;
}

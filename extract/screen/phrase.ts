import { classes } from "./classes.ts";
import { addWord } from "./vocabulary.ts";

/** A phrase as a regular expression over codes, and the sets of words of which a text with the phrase has at least one each. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly needs: readonly (readonly string[])[];
}

/** What stands before a verb that orders something. */
const ordering =
  "and then please also now instead first just simply kindly always never not dont must should shall will to you".split(
    " ",
  );

/** What separates a subject from another one, or from its clause. */
const separating = "you we i they it that which who to and or if so can will your not never dont".split(" ");

/**
 * Compiles a phrase into a regular expression over text in which a character stands for each word. Its parts:
 *
 * - `{name}`: a word of a class; `a/b`: one of these; `a_b`: two words
 * - `~3`: up to three words of the same sentence; `=3`: of the same part of it
 * - `a?`: may be missing
 * - `!a`: stands where an order does: first in a clause, or behind such as "and", "please", "must"
 * - `.`, `,`, `:`: punctuation; where a phrase has none, commas and colons between its words do not count
 *
 * All that repeats is bounded, so that searching takes time in proportion to the text.
 */
export function phrase(source: string): Phrase {
  const needs: (readonly string[])[] = [];
  const loose = /[.,:]/.test(source) ? "" : "[,:]?";
  const parts = source.split(" ").map((part) => {
    const gap = /^~(\d+)$/.exec(part)?.[1];
    if (gap !== undefined) return `[^.]{0,${gap}}${loose}`;
    const within = /^=(\d+)$/.exec(part)?.[1];
    if (within !== undefined) return `[^.,:${separating.map(codeOf).join("")}]{0,${within}}`;
    const [, order = "", body = "", optional = ""] = /^(!?)(.*?)(\??)$/.exec(part) ?? [];
    const alternatives = alternativesOf(body);
    if (optional === "") needs.push(alternatives);
    const before = order === "" ? "" : `(?<=[.,:${ordering.map(codeOf).join("")}])`;
    return `${before}${oneOf(alternatives)}${optional}${loose}`;
  });
  return { pattern: new RegExp(parts.join(""), "g"), needs: needs.filter(areWords) };
}

/** The words that a part of a phrase stands for, those of several words with spaces between. */
export function alternativesOf(part: string): readonly string[] {
  const words = part.split("/").flatMap((one) => (one.startsWith("{") ? wordsOfClass(one.slice(1, -1)) : [one]));
  return words.map((word) => word.replaceAll("_", " "));
}

function wordsOfClass(name: string): readonly string[] {
  const words = classes[name as keyof typeof classes].split(" ");
  return words.flatMap((word) => (word.endsWith("(s)") ? [word.slice(0, -3), `${word.slice(0, -3)}s`] : [word]));
}

function codeOf(word: string): string {
  if (!/^[.,:]$/.test(word)) return addWord(word);
  return word === "." ? String.raw`\.` : word;
}

/** One of these, of one word or more, the longest first. */
function oneOf(alternatives: readonly string[]): string {
  const single = alternatives.filter((one) => !one.includes(" ")).map(codeOf);
  const rows = alternatives
    .map((one) => one.split(" "))
    .filter((row) => row.length > 1)
    .toSorted((one, other) => other.length - one.length)
    .map((row) => row.map(codeOf).join("[,:]?"));
  const all = single.length > 0 ? [...rows, `[${single.join("")}]`] : rows;
  return `(?:${all.join("|")})`;
}

/** False for punctuation and for other alphabets, which texts are not searched for. */
function areWords(words: readonly string[]): boolean {
  return words.every((word) => /^[a-z ]+$/.test(word));
}

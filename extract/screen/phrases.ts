import { classes } from "./classes.ts";

/** The words of all phrases, each with the character that stands for it in a text of codes. */
export const codes = new Map<string, string>();
const firstCode = 0x4e00;

/** Stands for any other word in a text of codes; a stop, a comma and a colon stand for themselves. */
export const otherWord = " ";

/** A phrase as a regular expression over codes, and what it cannot do without: one at least of each of these, words or several with spaces between. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly needs: readonly (readonly string[])[];
}

/** What stands before a verb that orders something. */
const ordering =
  "and then please also now instead first just simply kindly always never not dont must should shall will to you".split(
    " ",
  );

/** What parts a subject from another one, or from its clause. */
const parting = "you we i they it that which who to and or if so can will your not never dont".split(" ");

/**
 * Makes a regular expression of a phrase, over text in which a character stands for each word. `{name}` is a word of a class,
 * `a/b` one of these, `a_b` are two words, `~3` up to three words of the same sentence, `=3` of
 * the same part of it, what ends in `?` may be missing, and
 * what begins with `!` stands where an order does: first in a clause, or behind such as "and", "please", "must". `.`, `,` and `:` are what
 * they are; where a phrase has none of these, commas and colons between its words do not count. There is a bound to all
 * that repeats, so that searching takes time in proportion to the text.
 */
export function phrase(source: string): Phrase {
  const needs: string[][] = [];
  const loose = /[.,:]/.test(source) ? "" : "[,:]?";
  const parts = source.split(" ").map((part) => {
    const gap = /^~(\d+)$/.exec(part)?.[1];
    if (gap !== undefined) return `[^.]{0,${gap}}${loose}`;
    const within = /^=(\d+)$/.exec(part)?.[1];
    if (within !== undefined) return `[^.,:${parting.map(codeOf).join("")}]{0,${within}}`;
    const [, ordered = "", body = "", optional = ""] = /^(!?)(.*?)(\??)$/.exec(part) ?? [];
    const words = body.split("/").flatMap((one) => (one.startsWith("{") ? classOf(one.slice(1, -1)) : [one]));
    const spoken = words.map((word) => word.replaceAll("_", " "));
    if (optional === "") needs.push(spoken);
    const before = ordered === "" ? "" : `(?<=[.,:${ordering.map(codeOf).join("")}])`;
    return `${before}${oneOf(spoken)}${optional}${loose}`;
  });
  return { pattern: new RegExp(parts.join(""), "g"), needs: needs.filter(areWords) };
}

function classOf(name: string): readonly string[] {
  const words = classes[name as keyof typeof classes].split(" ");
  return words.flatMap((word) => (word.endsWith("(s)") ? [word.slice(0, -3), `${word.slice(0, -3)}s`] : [word]));
}

function codeOf(word: string): string {
  if (/^[.,:]$/.test(word)) return word === "." ? String.raw`\.` : word;
  const code = codes.get(word) ?? String.fromCharCode(firstCode + codes.size);
  codes.set(word, code);
  return code;
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

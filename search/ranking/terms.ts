import { stemmer } from "stemmer";

/** Maximum number of characters of a text that are searched. */
const maxTextLength = 100_000;

const unicodeWord = /\.?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#)?/gu;
/** The same for ASCII, in a quarter of the time. */
const asciiWord = /\.?\w+(?:[.-]\w+)*(?:\+\+|#)?/g;
/** Matches text that is all ASCII. */
// oxlint-disable-next-line no-control-regex -- tells ASCII from the rest
const onlyAscii = /^[\u0000-\u007f]*$/;

/** A text NFKC-normalised, with ё as е, as most writers of Russian do. */
export function oneSpelling(text: string): string {
  return text.normalize("NFKC").replaceAll("ё", "е").replaceAll("Ё", "Е");
}

/** The words of a text, of any script, in `oneSpelling`; identifiers and dotted names are one word. */
export function wordsOf(text: string): readonly string[] {
  const read = text.slice(0, maxTextLength);
  return (onlyAscii.test(read) ? read.match(asciiWord) : oneSpelling(read).match(unicodeWord)) ?? [];
}

/** Routes of more than one segment, such as `/v1/customers/{id}`. */
export const routes = /(?<![\w}./:-])\/[\w{}:.~-]+(?:\/[\w{}:.~-]+)+\/?/g;

/** A route as one identifier of its segments: `v1_customers_id`. */
export function routeName(route: string): string {
  return route.match(/\w+/g)?.join("_") ?? "";
}

/** Maximum length of a term; longer ones are data. */
const maxTermLength = 64;

const asciiPart = /[A-Z]+(?:(?<=[A-Z]{2})s(?![a-z])|(?![a-z]))|[A-Z]?[a-z]+|[0-9]+/g;
const unicodePart = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;
/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const unspacedRuns = new RegExp(`${unspaced.source}+|[^\\s]`, "gu");
/** Words that the stemmer may change, by their endings. */
const stemmed = /^[a-z]*(?:[esy]|ed|ng|on|[eo]r|sm|ic|nt|ou|[alu]l|[cgilt]i)$/;
const plainWord = /^[A-Za-z][a-z]*$/;
const lowerWord = /^[a-z]+$/;
const number = /^[0-9]+$/;
const outerSign = /^[._]|[+#_]$/;
const outerSigns = /^[._]+|(?<![+#_])[+#_]+$/g;
const innerSign = /[._-]/;
const digit = /\p{N}/u;

/** Names that end or begin with a sign. */
const signedNames: ReadonlySet<string> = new Set(["c++", "c#", "f#", ".net"]);

/**
 * The terms of a word of `wordsOf`, lower-cased and stemmed: the parts of an identifier, then the identifier itself. Scripts without
 * spaces give pairs of characters. Data gives no terms.
 */
export function termsOf(word: string): readonly string[] {
  if (plainWord.test(word)) return word.length > maxTermLength ? [] : [stem(word.toLowerCase())];
  if (number.test(word)) return word.length > maxTermLength ? [] : [word];
  const lower = word.toLowerCase();
  if (signedNames.has(lower)) return [lower];
  const bare = outerSign.test(word) ? word.replace(outerSigns, "") : word;
  if (bare === "") return [];
  if (!onlyAscii.test(bare) && unspaced.test(bare)) return termsOfUnspaced(bare);

  const terms: string[] = [];
  const segments = innerSign.test(bare) ? bare.split(/[._-]+/) : [bare];
  const wholes: string[] = [];
  for (const segment of segments) {
    const parts = partsOf(segment);
    for (const part of parts) addTerm(terms, stem(part));
    if (segments.length > 1 && parts.length > 1) wholes.push(parts.join(""));
  }
  const whole = segments.length > 1 ? bare.replace(/[_-]+/g, "").replace(/\.{2,}/g, ".") : bare;
  wholes.push(whole.toLowerCase());
  for (const whole of wholes) {
    const identifier = stem(whole);
    if (!terms.includes(identifier)) addTerm(terms, identifier);
  }
  return terms;
}

function addTerm(terms: string[], term: string): void {
  if (term !== "" && term.length <= maxTermLength) terms.push(term);
}

/** The parts of camelCase and of letters with digits, lower-cased. */
function partsOf(segment: string): readonly string[] {
  if (lowerWord.test(segment)) return [segment];
  const parts = segment.match(onlyAscii.test(segment) ? asciiPart : unicodePart) ?? [segment];
  if (parts.length > 8 || (digit.test(segment) && isIndivisible(parts))) return [segment.toLowerCase()];
  return parts.map((part) => part.toLowerCase());
}

/** Whether the parts mean nothing by themselves, as those of hashes and of names such as i18n or h1. */
function isIndivisible(parts: readonly string[]): boolean {
  const numbers = parts.filter((part) => digit.test(part)).length;
  return numbers > 2 || (numbers > 0 && parts.some((part) => part.length < 2 && !digit.test(part)));
}

function termsOfUnspaced(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.matchAll(unspacedRuns)) {
    const characters = Array.from(run);
    if (!unspaced.test(run)) continue;
    if (characters.length === 1) terms.push(run);
    for (let at = 0; at + 1 < characters.length; at++) terms.push(characters.slice(at, at + 2).join(""));
  }
  const others = text.split(new RegExp(`${unspaced.source}+`, "u")).filter((rest) => rest !== "");
  return [...terms, ...others.flatMap(termsOf)];
}

function stem(part: string): string {
  if (part === "dotnet") return ".net";
  return part.length > 2 && stemmed.test(part) ? stemmer(part) : part;
}

import { stemmer } from "stemmer";
import type { SearchField } from "../domain/ports.ts";
import type { Snippet } from "../domain/snippet.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "1";

/** Characters of one field that are analysed; what lies beyond is served, but not searched. */
const longestField = 100_000;
/** Terms longer than this are data rather than words. */
const longestTerm = 64;
/** Distinct words whose terms are kept in memory. */
const cachedWords = 50_000;
/** Identifiers of one snippet that are indexed whole. */
const mostIdentifiers = 200;

const asciiWord = /\.?[a-z0-9_]+(?:[.-][a-z0-9_]+)*(?:\+\+|#)?/gi;
const unicodeWord = /\.?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:[.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*(?:\+\+|#)?/gu;
const asciiPart = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const unicodePart = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;
/** Scripts that put no space between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const unspacedRuns = new RegExp(`${unspaced.source}+|[^\\s]`, "gu");
// oxlint-disable-next-line no-control-regex -- tells ASCII from the rest
const onlyAscii = /^[\u0000-\u007f]*$/;
const plainWord = /^[a-z]{3,}$/;

/** Names that end or begin with a sign which belongs to them. */
const signedNames: ReadonlySet<string> = new Set(["c++", "c#", "f#", ".net"]);

const cache = new Map<string, string>();

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised and stemmed. An identifier gives its parts and
 * then itself as a whole, without `_` and `-`, so that useRouter, use_router and use-router meet in one term.
 * Scripts without spaces give pairs of characters.
 */
export function analyse(text: string): string[] {
  const terms = analyseText(text);
  return terms === "" ? [] : terms.split(" ");
}

/** As `analyse`, joined with single spaces. */
export function analyseText(text: string): string {
  const found: string[] = [];
  for (const word of wordsOf(text)) {
    const terms = termsOf(word);
    if (terms !== "") found.push(terms);
  }
  return found.join(" ");
}

/** The words of a text as they stand in it, identifiers and dotted names in one piece. */
export function wordsOf(text: string): readonly string[] {
  const short = text.length > longestField ? text.slice(0, longestField) : text;
  if (onlyAscii.test(short)) return short.match(asciiWord) ?? [];
  return short.normalize("NFKC").match(unicodeWord) ?? [];
}

/** The analysed fields of a snippet, each a list of terms joined with single spaces. */
export function analyseSnippet(snippet: Snippet): Record<SearchField, string> {
  const prose = `${snippet.description}\n${snippet.content ?? ""}`;
  const code = snippet.codes.map((block) => (block.file === undefined ? block.code : `${block.file}\n${block.code}`));
  return {
    title: analyseText(snippet.title),
    breadcrumb: analyseText(snippet.breadcrumb.join(" ")),
    path: analyseText(pagePath(snippet)),
    identifiers: identifiersOf(prose, code),
    prose: analyseText(prose.replace(/\]\([^)\s]*\)/g, "]")),
    code: analyseText(code.join("\n")),
  };
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath(snippet: Snippet): string {
  const path = snippet.source.path ?? URL.parse(snippet.page.url)?.pathname ?? "";
  return path.replace(/\.\w{1,8}$/, "").replaceAll("/", " ");
}

/** Whole compound identifiers of the code, and everything that prose sets as inline code. */
function identifiersOf(prose: string, code: readonly string[]): string {
  const found = new Set<string>();
  for (const [, inline = ""] of prose.matchAll(/`([^`\n]{1,100})`/g)) {
    for (const word of wordsOf(inline)) addWhole(found, word);
  }
  for (const block of code) {
    for (const word of wordsOf(block)) {
      if (found.size >= mostIdentifiers) break;
      if (/[a-z][A-Z]|[a-z0-9][._-][a-z]/i.test(word) && termsOf(word).includes(" ")) addWhole(found, word);
    }
  }
  return [...found].join(" ");
}

function addWhole(found: Set<string>, word: string): void {
  const terms = termsOf(word);
  const whole = terms.slice(terms.lastIndexOf(" ") + 1);
  if (whole.length > 1 && found.size < mostIdentifiers) found.add(whole);
}

/** Terms of one word, joined with spaces; kept, since documentation repeats its words. */
function termsOf(word: string): string {
  const known = cache.get(word);
  if (known !== undefined) return known;
  const terms = expand(word).join(" ");
  if (cache.size >= cachedWords) cache.clear();
  if (word.length <= longestTerm) cache.set(word, terms);
  return terms;
}

function expand(word: string): string[] {
  const lower = word.toLowerCase();
  if (signedNames.has(lower)) return [lower];
  const bare = word.replace(/^[._]+|[+#_]+$/g, "");
  if (bare === "") return [];
  if (unspaced.test(bare)) return expandUnspaced(bare);

  const segments = bare.split(/[._-]+/).filter((segment) => segment !== "");
  const split = segments.map(partsOf);
  const terms = split.flat().map(stem);
  const wholes = segments.length > 1 ? split.filter((parts) => parts.length > 1).map((parts) => parts.join("")) : [];
  wholes.push(
    bare
      .replace(/[_-]+/g, "")
      .replace(/\.{2,}/g, ".")
      .toLowerCase(),
  );
  for (const whole of wholes.map(stem)) if (!terms.includes(whole)) terms.push(whole);
  return terms.filter((term) => term.length <= longestTerm);
}

/** camelCase and digits taken apart, lower-cased. */
function partsOf(segment: string): string[] {
  const parts = segment.match(onlyAscii.test(segment) ? asciiPart : unicodePart) ?? [segment];
  const numbers = parts.filter((part) => /^\p{N}/u.test(part)).length;
  const torn = numbers > 0 && parts.some((part) => part.length < 2 && !/^\p{N}/u.test(part));
  // Hashes, and names such as i18n or h1, say something only as a whole.
  if (torn || numbers > 2 || parts.length > 8) return [segment.toLowerCase()];
  return parts.map((part) => part.toLowerCase());
}

function expandUnspaced(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.matchAll(unspacedRuns)) {
    const characters = Array.from(run);
    if (!unspaced.test(run)) continue;
    if (characters.length === 1) terms.push(run);
    for (let at = 0; at + 1 < characters.length; at++) terms.push(characters.slice(at, at + 2).join(""));
  }
  const others = text.split(new RegExp(`${unspaced.source}+`, "u")).filter((rest) => rest !== "");
  return [...terms, ...others.flatMap(expand)];
}

function stem(part: string): string {
  return plainWord.test(part) ? stemmer(part) : part;
}

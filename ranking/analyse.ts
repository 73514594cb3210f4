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
/** Words that the stemmer may change: it looks at what a word of letters ends in. */
const stemmed = /^[a-z]*(?:[esy]|ed|ng|on|[eo]r|sm|ic|nt|ou|[alu]l|[cgilt]i)$/;
const lowerWord = /^[a-z]+$/;
const outerSigns = /^[._]+|[+#_]+$/g;
const innerSign = /[._-]/;
const digit = /\p{N}/u;

/** Names that end or begin with a sign which belongs to them. */
const signedNames: ReadonlySet<string> = new Set(["c++", "c#", "f#", ".net"]);

/** A word of a text after analysis. */
interface Word {
  /** Its terms, joined with spaces. */
  readonly terms: string;
  /** The last of them, which is the identifier as a whole; "" where it is too short to tell. */
  readonly whole: string;
  /** True for an identifier of several parts. */
  readonly compound: boolean;
}

const words = new Map<string, Word>();
const stems = new Map<string, string>();

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
  return joinTerms(wordsOf(text).map(analyseWord));
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
  const blocks = snippet.codes.map((block) => (block.file === undefined ? block.code : `${block.file}\n${block.code}`));
  const code = wordsOf(blocks.join("\n")).map(analyseWord);
  return {
    title: analyseText(snippet.title),
    breadcrumb: analyseBreadcrumb(snippet.breadcrumb.join(" ")),
    path: analysePath(pagePath(snippet)),
    identifiers: identifiersOf(prose, code),
    prose: analyseText(prose.replace(/\]\([^)\s]*\)/g, "]")),
    code: joinTerms(code),
  };
}

/** The snippets of a page follow each other, and share its path and most of their headings. */
const analysePath = rememberLast(analyseText);
const analyseBreadcrumb = rememberLast(analyseText);

function rememberLast(make: (text: string) => string): (text: string) => string {
  let last = "";
  let made = make(last);
  return (text) => {
    if (text !== last) [last, made] = [text, make(text)];
    return made;
  };
}

function joinTerms(found: readonly Word[]): string {
  let text = "";
  for (const { terms } of found) if (terms !== "") text += text === "" ? terms : ` ${terms}`;
  return text;
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath(snippet: Snippet): string {
  const path = snippet.source.path ?? URL.parse(snippet.page.url)?.pathname ?? "";
  return path.replace(/\.\w{1,8}$/, "").replaceAll("/", " ");
}

/** Whole compound identifiers of the code, and everything that prose sets as inline code. */
function identifiersOf(prose: string, code: readonly Word[]): string {
  const found = new Set<string>();
  for (const [, inline = ""] of prose.matchAll(/`([^`\n]{1,100})`/g)) {
    for (const word of wordsOf(inline)) add(analyseWord(word).whole);
  }
  for (const { compound, whole } of code) if (compound) add(whole);
  return [...found].join(" ");

  function add(whole: string): void {
    if (whole !== "" && found.size < mostIdentifiers) found.add(whole);
  }
}

/** Analyses one word; kept, since documentation repeats its words. */
function analyseWord(word: string): Word {
  const known = words.get(word);
  if (known !== undefined) return known;
  const own = ownCopy(word);
  const terms = expand(own).join(" ");
  const last = terms.slice(terms.lastIndexOf(" ") + 1);
  const made = {
    terms,
    whole: last.length > 1 ? last : "",
    compound: terms.includes(" ") && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(own),
  };
  if (word.length <= longestTerm) keep(words, own, made);
  return made;
}

/** A part of a text keeps all of the text in memory; the copy keeps itself. */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

function keep<T>(cache: Map<string, T>, key: string, value: T): void {
  if (cache.size >= cachedWords) cache.clear();
  cache.set(key, value);
}

function expand(word: string): readonly string[] {
  if (lowerWord.test(word)) return [stem(word)];
  const lower = word.toLowerCase();
  if (signedNames.has(lower)) return [lower];
  const bare = word.replace(outerSigns, "");
  if (bare === "") return [];
  if (!onlyAscii.test(bare) && unspaced.test(bare)) return expandUnspaced(bare);

  const terms: string[] = [];
  const wholes: string[] = [];
  const segments = innerSign.test(bare) ? bare.split(/[._-]+/) : [bare];
  for (const segment of segments) {
    const parts = partsOf(segment);
    for (const part of parts) addTerm(terms, stem(part));
    if (segments.length > 1 && parts.length > 1) wholes.push(parts.join(""));
  }
  const whole = segments.length > 1 ? bare.replace(/[_-]+/g, "").replace(/\.{2,}/g, ".") : bare;
  wholes.push(whole.toLowerCase());
  for (const identifier of wholes.map(stem)) if (!terms.includes(identifier)) addTerm(terms, identifier);
  return terms;
}

function addTerm(terms: string[], term: string): void {
  if (term.length <= longestTerm) terms.push(term);
}

/** camelCase and digits taken apart, lower-cased. */
function partsOf(segment: string): readonly string[] {
  const parts = segment.match(onlyAscii.test(segment) ? asciiPart : unicodePart) ?? [segment];
  if (digit.test(segment)) {
    const numbers = parts.filter((part) => /^\p{N}/u.test(part)).length;
    const torn = numbers > 0 && parts.some((part) => part.length < 2 && !/^\p{N}/u.test(part));
    // Hashes, and names such as i18n or h1, say something only as a whole.
    if (torn || numbers > 2) return [segment.toLowerCase()];
  }
  if (parts.length > 8) return [segment.toLowerCase()];
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
  if (part.length < 3 || !stemmed.test(part)) return part;
  const known = stems.get(part);
  if (known !== undefined) return known;
  const made = stemmer(part);
  keep(stems, part, made);
  return made;
}

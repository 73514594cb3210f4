import { stemmer } from "stemmer";
import type { SearchField } from "../domain/ports.ts";
import type { Snippet } from "../domain/snippet.ts";
import { eachWord, isAscii } from "./words.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "1";

/** Terms longer than this are data rather than words. */
const longestTerm = 64;
/** Places of the memory of words, a power of two. */
const places = 32_768;
/** Identifiers of one snippet that are indexed whole. */
const mostIdentifiers = 200;

const asciiPart = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const unicodePart = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;
/** Scripts that put no space between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const unspacedRuns = new RegExp(`${unspaced.source}+|[^\\s]`, "gu");
/** Words that the stemmer may change: it looks at what a word of letters ends in. */
const stemmed = /^[a-z]*(?:[esy]|ed|ng|on|[eo]r|sm|ic|nt|ou|[alu]l|[cgilt]i)$/;
const lowerWord = /^[a-z]+$/;
const outerSign = /^[._]|[+#_]$/;
const outerSigns = /^[._]+|[+#_]+$/g;
const innerSign = /[._-]/;
const digit = /\p{N}/u;

/** Names that end or begin with a sign which belongs to them. */
const signedNames: ReadonlySet<string> = new Set(["c++", "c#", "f#", ".net"]);

/** A word of a text after analysis. */
interface Word {
  readonly word: string;
  /** Its terms, joined with spaces. */
  readonly terms: string;
  /** The last of them, which is the identifier as a whole; "" where it is too short to tell. */
  readonly whole: string;
  /** True for an identifier of several parts. */
  readonly compound: boolean;
}

/** Words that were analysed, each in the place that its hash gives; another one with the same place takes it over. */
const memory: (Word | undefined)[] = Array.from({ length: places }, () => undefined);

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
  return joinTerms(analyseWords(text));
}

/** The analysed fields of a snippet, each a list of terms joined with single spaces. */
export function analyseSnippet(snippet: Snippet): Record<SearchField, string> {
  const prose = [snippet.description, snippet.content ?? ""].join("\n");
  const blocks = snippet.codes.map((block) => (block.file === undefined ? block.code : `${block.file}\n${block.code}`));
  const code = analyseWords(blocks.join("\n"));
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
  const terms: string[] = [];
  for (const word of found) if (word.terms !== "") terms.push(word.terms);
  return terms.join(" ");
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
    for (const { whole } of analyseWords(inline)) add(whole);
  }
  for (const { compound, whole } of code) if (compound) add(whole);
  return [...found].join(" ");

  function add(whole: string): void {
    if (whole !== "" && found.size < mostIdentifiers) found.add(whole);
  }
}

function analyseWords(text: string): Word[] {
  const found: Word[] = [];
  eachWord(text, (source, start, end) => found.push(analyseWord(source, start, end)));
  return found;
}

/** Analyses the word that stands from `start` to `end`. It is remembered, since documentation repeats its words. */
function analyseWord(source: string, start: number, end: number): Word {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + source.charCodeAt(at)) | 0;
  const place = (hash ^ (hash >>> 15)) & (places - 1);
  const known = memory[place];
  if (known !== undefined && known.word.length === end - start && source.startsWith(known.word, start)) return known;
  const word = ownCopy(source.slice(start, end));
  const terms = expand(word).join(" ");
  const last = terms.slice(terms.lastIndexOf(" ") + 1);
  const made = {
    word,
    terms,
    whole: last.length > 1 ? last : "",
    compound: terms.includes(" ") && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(word),
  };
  if (word.length <= longestTerm) memory[place] = made;
  return made;
}

/** A part of a text keeps all of the text in memory; the copy keeps itself. */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

function expand(word: string): readonly string[] {
  if (lowerWord.test(word)) return word.length > longestTerm ? [] : [stem(word)];
  const lower = word.toLowerCase();
  if (signedNames.has(lower)) return [lower];
  const bare = outerSign.test(word) ? word.replace(outerSigns, "") : word;
  if (bare === "") return [];
  if (!isAscii(bare) && unspaced.test(bare)) return expandUnspaced(bare);

  const terms: string[] = [];
  const segments = innerSign.test(bare) ? bare.split(/[._-]+/) : [bare];
  const wholes: string[] = [];
  for (const segment of segments) {
    const parts = partsOf(segment);
    for (const part of parts) addTerm(terms, stemPart(part));
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
  if (term.length <= longestTerm) terms.push(term);
}

/** camelCase and digits taken apart, lower-cased. */
function partsOf(segment: string): readonly string[] {
  const parts = segment.match(isAscii(segment) ? asciiPart : unicodePart) ?? [segment];
  if (parts.length > 8 || (digit.test(segment) && saysOnlyAsWhole(parts))) return [segment.toLowerCase()];
  return parts.map((part) => part.toLowerCase());
}

/** Hashes, and names such as i18n or h1, say something only as a whole. */
function saysOnlyAsWhole(parts: readonly string[]): boolean {
  const numbers = parts.filter((part) => digit.test(part)).length;
  return numbers > 2 || (numbers > 0 && parts.some((part) => part.length < 2 && !digit.test(part)));
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
  return part.length > 2 && stemmed.test(part) ? stemmer(part) : part;
}

/** As `stem`, remembered: identifiers are made of the same few words. */
function stemPart(part: string): string {
  return lowerWord.test(part) ? analyseWord(part, 0, part.length).terms : part;
}

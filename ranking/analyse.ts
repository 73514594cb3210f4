import type { SearchField } from "../domain/ports.ts";
import type { Snippet } from "../domain/snippet.ts";
import { termsOf } from "./terms.ts";
import { wordsOf } from "./words.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "2";

/** What a word gives. */
interface Word {
  readonly terms: readonly string[];
  /** True for an identifier of several parts. */
  readonly isCompound: boolean;
}

/** Words that were analysed. A caller with many texts keeps a cache for all of them: they say the same words again and again. */
export type WordCache = Map<string, Word>;

/** Words in a cache before it is emptied. */
const maxWords = 20_000;

/** The analysed fields of a snippet: the terms of each, in order. */
export type FieldTerms = Readonly<Record<SearchField, readonly string[]>>;

/** Identifiers of one snippet that are kept whole. */
const maxIdentifiers = 200;

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised and stemmed. An identifier gives its parts and
 * then itself as a whole, without `_` and `-`, so that useRouter, use_router and use-router meet in one term.
 * Scripts without spaces give pairs of characters. `each` is told of every word.
 */
export function analyse(text: string, cache: WordCache = new Map(), each?: (word: Word) => void): string[] {
  const all: string[] = [];
  for (const one of wordsOf(text)) {
    const word = cache.get(one) ?? addWord(one, cache);
    for (const term of word.terms) all.push(term);
    each?.(word);
  }
  return all;
}

/** As `analyse`, joined with single spaces. */
export function analyseText(text: string): string {
  return analyse(text).join(" ");
}

/** The analysed fields of a snippet. Identifiers are what prose sets as inline code, and those of several parts in code. */
export function analyseSnippet(snippet: Snippet, cache: WordCache = new Map()): FieldTerms {
  const { title, breadcrumb, description, content, codes } = snippet;
  const prose = content === undefined ? description : `${description}\n${content}`;
  const inline = prose.match(/`[^`\n]{1,100}`/g)?.join("\n") ?? "";
  const code = codes
    .map((block) => (block.file === undefined ? block.code : `${block.file}\n${block.code}`))
    .join("\n");
  const identifiers = new Set<string>();
  const collect = ({ terms }: Word): void => {
    const whole = terms.at(-1) ?? "";
    if (whole.length > 1 && identifiers.size < maxIdentifiers) identifiers.add(whole);
  };
  analyse(inline, cache, collect);
  return {
    title: analyse(title, cache),
    breadcrumb: analyse((breadcrumb.at(-1) === title ? breadcrumb.slice(0, -1) : breadcrumb).join(" "), cache),
    path: analyse(pagePath(snippet), cache),
    prose: analyse(prose.replace(/\]\([^)\s]*\)/g, "]"), cache),
    code: analyse(code, cache, (word) => word.isCompound && collect(word)),
    identifiers: [...identifiers],
  };
}

/**
 * Whether a snippet stands below the title of its page and in no section of it: an introduction, the whole of a page without
 * sections, or prose of several short sections in one. Its own title is the page's or begins with it.
 */
export function isBelowTitle({ title, breadcrumb }: Pick<FieldTerms, "title" | "breadcrumb">): boolean {
  return breadcrumb.every((term, at) => term === title[at]);
}

function addWord(word: string, cache: WordCache): Word {
  if (cache.size >= maxWords) cache.clear();
  const terms = termsOf(word);
  const isCompound = terms.length > 1 && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(word);
  const added = { terms, isCompound };
  cache.set(word, added);
  return added;
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath(snippet: Snippet): string {
  const path = snippet.source.path ?? URL.parse(snippet.page.url)?.pathname ?? "";
  return path.replace(/\.\w{1,8}$/, "").replaceAll("/", " ");
}

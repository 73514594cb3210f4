import type { SearchField } from "../domain/ports.ts";
import { codesOf } from "../domain/passage.ts";
import type { Passage } from "../domain/passage.ts";
import { termsOf } from "./terms.ts";
import { routeName, routes, wordsOf } from "./words.ts";

/** Version of the analysis. An index built by another one has to be built again. */
export const analyserVersion = "4";

/** What a word gives. */
interface Word {
  readonly terms: readonly string[];
  /** True for an identifier of several parts. */
  readonly isCompound: boolean;
}

/** Words that were analysed on this thread: texts say the same ones again and again. */
const known = new Map<string, Word>();
/** Words that are known before they are all forgotten. */
const maxKnown = 20_000;

/** The analysed fields of a passage: the terms of each, in order. */
export type FieldTerms = Readonly<Record<SearchField, readonly string[]>>;

/** Identifiers of one passage that are kept whole. */
const maxIdentifiers = 200;

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised and stemmed. An identifier gives its parts and
 * then itself as a whole, without `_` and `-`, so that useRouter, use_router and use-router meet in one term.
 * Scripts without spaces give pairs of characters. `each` is told of every word.
 */
export function analyse(text: string, each?: (word: Word) => void): string[] {
  const all: string[] = [];
  for (const one of wordsOf(text)) {
    const word = known.get(one) ?? addWord(one);
    for (const term of word.terms) all.push(term);
    each?.(word);
  }
  return all;
}

/** As `analyse`, joined with single spaces. */
export function analyseText(text: string): string {
  return analyse(text).join(" ");
}

/** The analysed fields of a passage. Identifiers are what prose sets as inline code, and those of several parts in code. */
export function analysePassage(passage: Passage): FieldTerms {
  const { title, breadcrumb, blocks, also = [] } = passage;
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : [])).join("\n");
  const inline = (prose.match(/`[^`\n]{1,100}`/g)?.join("\n") ?? "").replace(routes, routeName);
  const code = codesOf(passage)
    .map((block) => (block.file === undefined ? block.code : `${block.file}\n${block.code}`))
    .join("\n");
  const identifiers = new Set<string>();
  const collect = ({ terms }: Word): void => {
    const whole = terms.at(-1) ?? "";
    if (whole.length > 1 && identifiers.size < maxIdentifiers) identifiers.add(whole);
  };
  analyse(inline, collect);
  return {
    title: analyse(title),
    breadcrumb: analyse((breadcrumb.at(-1) === title ? breadcrumb.slice(0, -1) : breadcrumb).join(" ")),
    path: analyse(pagePath(passage)),
    prose: analyse([prose.replace(/\]\([^)\s]*\)/g, "]"), ...also.map(withoutExtension)].join("\n")),
    code: analyse(code, (word) => word.isCompound && collect(word)),
    identifiers: [...identifiers],
    subject: analyse(passage.page.subject ?? ""),
  };
}

/**
 * Whether a passage stands below the title of its page and in no section of it: an introduction, the whole of a page without
 * sections, or prose of several short sections in one. Its own title is the page's or begins with it.
 */
export function isBelowTitle({ title, breadcrumb }: Pick<FieldTerms, "title" | "breadcrumb">): boolean {
  return breadcrumb.every((term, at) => term === title[at]);
}

function addWord(word: string): Word {
  if (known.size >= maxKnown) known.clear();
  // A copy: what a pattern matched is a slice that keeps all of its text in memory.
  const copy = Buffer.from(word).toString();
  const terms = termsOf(copy);
  const isCompound = terms.length > 1 && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(copy);
  const added = { terms, isCompound };
  known.set(copy, added);
  return added;
}

/** Path of the page without its extension; of a page without a file, the path of its URL. */
function pagePath({ source, page }: Passage): string {
  const path = source.path ?? URL.parse(page.url)?.pathname ?? "";
  return withoutExtension(path).replaceAll("/", " ");
}

function withoutExtension(path: string): string {
  return path.replace(/\.\w{1,8}(?=$| )/, "");
}

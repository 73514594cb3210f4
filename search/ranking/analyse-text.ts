import { searchFields, type SearchField, type Occurrences } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import { termsOf, routeName, routes, wordsOf } from "./terms.ts";

/** Version of the analysis. An index built by another version is rebuilt. */
export const analyserVersion = "5";

/** An analysed word. */
interface Word {
  readonly terms: readonly string[];
  /** An identifier of several parts. */
  readonly isCompound: boolean;
}

/** The cache of analysed words on this thread: most words of a text occur in others as well. */
const known = new Map<string, Word>();
/** Size at which the cache is cleared. */
const maxKnown = 20_000;

/** The analysed fields of a passage: the terms of each, in order. */
export type FieldTerms = Readonly<Record<SearchField, readonly string[]>>;

/** Maximum number of identifiers of a passage. */
const maxIdentifiers = 200;

/**
 * The terms of a text, in order: words lower-cased, NFKC-normalised, with ё as е, and stemmed. An identifier gives its parts and then the whole
 * without `_` and `-`, so that useRouter, use_router and use-router share a term. Scripts without spaces give pairs of
 * characters. `each` is called with every word.
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

/** The analysed fields of a passage. Identifiers are inline code in prose, and words of several parts in code. */
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
 * Whether a passage is directly below the title of its page, in no section: an introduction, a page without sections, or several
 * joined short sections. Its own title is the page's or begins with it.
 */
export function isBelowTitle({ title, breadcrumb }: Pick<FieldTerms, "title" | "breadcrumb">): boolean {
  return breadcrumb.every((term, at) => term === title[at]);
}

function addWord(word: string): Word {
  if (known.size >= maxKnown) known.clear();
  // A copy, as the match may be a slice that keeps the whole text in memory.
  const copy = Buffer.from(word).toString();
  const terms = termsOf(copy);
  const isCompound = terms.length > 1 && /[a-z]{2}|[a-z0-9][._-][a-z]/i.test(copy);
  const added = { terms, isCompound };
  known.set(copy, added);
  return added;
}

/** The words of the page's path, or of its URL's path, without the extension. */
function pagePath({ source, page }: Passage): string {
  const path = source.path ?? URL.parse(page.url)?.pathname ?? "";
  return withoutExtension(path).replaceAll("/", " ");
}

function withoutExtension(path: string): string {
  return path.replace(/\.\w{1,8}(?=$| )/, "");
}

/** The occurrences of each term in the candidates. */
export function occurrencesIn(
  candidates: readonly FieldTerms[],
  terms: Iterable<string>,
): ReadonlyMap<string, Occurrences> {
  const occurrences = new Map(Array.from(terms, (term): [string, number[]] => [term, []]));
  for (const [candidate, fields] of candidates.entries()) {
    for (const [field, name] of searchFields.entries()) {
      for (const term of fields[name]) {
        const list = occurrences.get(term);
        if (list === undefined) continue;
        if (list.at(-3) === candidate && list.at(-2) === field) list.push((list.pop() ?? 0) + 1);
        else list.push(candidate, field, 1);
      }
    }
  }
  return occurrences;
}

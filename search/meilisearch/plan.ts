import type { CandidateFilter } from "../../domain/ports.ts";
import type { KnownTerms } from "./frequencies.ts";
import { toWord } from "./words.ts";

/** Words that Meilisearch reads of a query. */
const readWords = 10;
/**
 * Rarest terms that are also looked up one by one, as a search for all finds only what has the rarest of them; and the
 * share of the limit that each gets. On 113 questions to 14 libraries: 4 terms MRR .833, 8 terms .863, the candidates of
 * SQLite .886. Of the 724 of bench/retrieval the first page is SQLite's in 96.5 % with a third of the limit, 98.1 % with
 * half, 98.3 % with two thirds, 98.5 % with all of it.
 */
const singleTerms = 8;
const singleShare = 1 / 2;
/** Common terms that are looked for in titles, headings and paths. */
const commonTerms = 4;
/** Stand-ins that are looked up. */
const otherTerms = 4;

/**
 * A search for passages that have all of the words of `q`, or fewer of them from its end. The rarest in the generation
 * stand first: Meilisearch's own strategy `frequency` counts over all generations, so that what a library answers would
 * change with its neighbours.
 */
export interface Search {
  readonly q: string;
  readonly limit: number;
  readonly matchingStrategy: "last";
  /** Attributes of a `PassageDocument` that are searched; absent: all. */
  readonly attributesToSearchOn?: string[];
}

/** What is looked for to find candidates. */
export interface Plan {
  /** Every term that is searched for. */
  readonly terms: readonly string[];
  /** The rarest terms together; undefined where no term occurs in the generation. */
  readonly together: Search | undefined;
  /** Single terms, whose hits never change in a generation. */
  readonly singles: readonly Search[];
}

/** The terms that a plan is for. */
export interface PlannedTerms {
  /** What the question says itself, and corrections of it. */
  readonly asked: readonly string[];
  /** What it may mean besides: stand-ins. */
  readonly besides: readonly string[];
}

/**
 * Plans the searches for the terms of a question: the rarest together, and some of them one by one. What stands in most
 * passages is looked for in titles, headings and paths alone, where it says what a page is about. What it may mean
 * besides is only looked up one by one, as a search for all has to find the rarest of its words. The hits are more than
 * the ranker is to get, which knows best whom to leave out.
 */
export function planSearches(
  { asked, besides }: PlannedTerms,
  known: KnownTerms,
  { limit, kind, language }: CandidateFilter,
): Plan {
  // Where only some passages may answer, those may have nothing but common terms.
  const filtered = kind !== undefined || language !== undefined;
  const rarest = rarestOf(asked, known, filtered).slice(0, readWords);
  const common = rarestOf(asked, known, true)
    .filter((term) => !rarest.includes(term))
    .slice(0, commonTerms);
  const others = rarestOf(besides, known, filtered).slice(0, otherTerms);
  const search = (q: string, most: number): Search => ({ q, limit: Math.ceil(most), matchingStrategy: "last" });
  // Of a single term there may be many equal hits, in an order that says little.
  const most = rarest.length === 1 ? 2 * limit : limit;
  const singles = [...(rarest.length > 1 ? rarest.slice(0, singleTerms) : []), ...others];
  const named = common.map((term): Search => ({
    ...search(quoted(term), limit * singleShare),
    attributesToSearchOn: ["tt", "th"],
  }));
  return {
    terms: [...rarest, ...common, ...others],
    together: rarest.length === 0 ? undefined : search(rarest.map(toWord).join(" "), most),
    singles: [...singles.map((term) => search(quoted(term), limit * singleShare)), ...named],
  };
}

/**
 * Those of the terms that occur, the rarest first. What stands in more than half of the passages tells next to nothing,
 * and is left out unless `common` terms are wanted too.
 */
function rarestOf(terms: readonly string[], { total, frequency }: KnownTerms, common: boolean): readonly string[] {
  const count = (term: string) => frequency.get(term) ?? 0;
  const found = terms.filter((term) => count(term) > 0).toSorted((a, b) => count(a) - count(b));
  const telling = common ? [] : found.filter((term) => count(term) <= total / 2);
  return telling.length > 0 ? telling : found;
}

/** A query that finds a term as it is, so that its hits can be counted. */
export function quoted(term: string): string {
  return `"${toWord(term)}"`;
}

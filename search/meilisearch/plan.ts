import type { CandidateFilter } from "../../domain/ports.ts";
import type { KnownTerms } from "./frequencies.ts";
import { toWord } from "./words.ts";

/** Words that Meilisearch reads of a query. */
const readWords = 10;
/**
 * Rarest terms that are also looked up one by one, as a search for all finds only what has several of them; and the share
 * of the limit that each gets. Six with half of it took a fifth longer and gave another first answer to 0.6 % of 480
 * questions about documentation of npm packages.
 */
const singleTerms = 4;
const singleShare = 1 / 3;

/** A search for snippets that have all of the words of `q`, or those among them that are rarer. */
export interface Search {
  readonly q: string;
  readonly limit: number;
  readonly matchingStrategy: "frequency";
}

/**
 * Plans the searches for the terms of a question: the rarest together, and some of them one by one. Their hits are more than
 * the ranker is to get, which knows best whom to leave out. No search where no term occurs in the generation.
 */
export function planSearches(
  terms: readonly string[],
  { total, frequency }: KnownTerms,
  { limit }: Pick<CandidateFilter, "limit">,
): readonly Search[] {
  const count = (term: string) => frequency.get(term) ?? 0;
  const found = terms.filter((term) => count(term) > 0).toSorted((a, b) => count(a) - count(b));
  // A term that stands in more than half of the snippets tells next to nothing.
  const telling = found.filter((term) => count(term) <= total / 2);
  const rarest = (telling.length > 0 ? telling : found).slice(0, readWords);
  if (rarest.length === 0) return [];
  const together = terms.filter((term) => rarest.includes(term)).map(toWord);
  const search = (q: string, most: number): Search => ({ q, limit: Math.ceil(most), matchingStrategy: "frequency" });
  // Of a single term there may be many equal hits, in an order that says little.
  if (rarest.length === 1) return [search(together.join(" "), 2 * limit)];
  return [
    search(together.join(" "), limit),
    ...rarest.slice(0, singleTerms).map((term) => search(quoted(term), limit * singleShare)),
  ];
}

/** A query that finds a term as it is, so that its hits can be counted. */
export function quoted(term: string): string {
  return `"${toWord(term)}"`;
}

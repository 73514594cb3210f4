import type { CandidateFilter } from "../../domain/ports.ts";
import type { Match } from "../match.ts";
import { toWord } from "./words.ts";

/** Maximum number of terms in one search. Meilisearch reads ten words of a query. */
const togetherTerms = 5;
/**
 * Number of hits of single terms, as multiples of the limit: of all terms together, and at most and at least of one. The fewer terms
 * there are, the more passages have only one of them. What fewer hits cost is in docs/internals/decisions.md.
 */
const singleShares = { all: 6, most: 3, least: 1 };

/** Number of passages read of the hits of single terms, as a multiple of the limit. */
const readShare = 2;

/**
 * A search for passages with all words of `q`, or with all but some from its end. The words that are rarest in the generation
 * come first. Meilisearch's own strategy `frequency` counts in all generations, so that answers would depend on other libraries.
 */
export interface Search {
  readonly q: string;
  readonly limit: number;
  readonly matchingStrategy: "last";
}

/** A search for one term. */
export interface SingleSearch extends Search {
  readonly term: string;
}

/** The searches that find candidates. */
export interface Plan {
  /** A search for the rarest terms together; undefined for fewer than two terms. */
  readonly together: Search | undefined;
  /** A search for each term. Its hits never change in a generation. */
  readonly singles: readonly SingleSearch[];
  /** How many of the best hits of single terms are read: more than the candidates wanted, since their scores are estimates. */
  readonly read: number;
}

/** Plans the searches for a match: for its rarest terms together, and for each term. They find more passages than wanted, unordered. */
export function planSearches({ terms }: Match, { limit }: Pick<CandidateFilter, "limit">): Plan {
  const share = Math.min(singleShares.most, Math.max(singleShares.least, singleShares.all / terms.length));
  const hits = Math.ceil(share * limit);
  return {
    together:
      terms.length < 2
        ? undefined
        : { q: terms.slice(0, togetherTerms).map(toWord).join(" "), limit, matchingStrategy: "last" },
    singles: terms.map((term) => ({ term, q: quoted(term), limit: hits, matchingStrategy: "last" })),
    read: readShare * limit,
  };
}

/** A query for exactly one term, so that its hits can be counted. */
export function quoted(term: string): string {
  return `"${toWord(term)}"`;
}

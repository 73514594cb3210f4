import type { CandidateFilter } from "../../domain/ports.ts";
import type { Match } from "../match.ts";
import { toWord } from "./words.ts";

/** Terms that are looked for together; Meilisearch reads ten words of a query. */
const togetherTerms = 5;
/**
 * Hits of the single terms, as multiples of the limit: of all together, about, and of one at most and at least. The fewer terms
 * there are, the more passages may have one of them alone. docs/internals/ranking-notebook.md has what fewer hits cost.
 */
const singleShares = { all: 6, most: 3, least: 1 };

/** Hits of single terms that are read, as a multiple of the limit. */
const readShare = 2;

/**
 * A search for passages that have all of the words of `q`, or fewer of them from its end. The rarest in the generation
 * stand first: Meilisearch's own strategy `frequency` counts over all generations, so that what a library answers would
 * change with its neighbours.
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

/** What is looked for to find candidates. */
export interface Plan {
  /** The rarest terms together; undefined where there are not two. */
  readonly together: Search | undefined;
  /** Each term by itself. These hits never change in a generation. */
  readonly singles: readonly SingleSearch[];
  /** Hits of single terms that are looked at: more than candidates are wanted, as it is only about known how good each is. */
  readonly read: number;
}

/** Plans the searches for a match: its rarest terms together, and each of them. They find more than are wanted, and in no order. */
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

/** A query that finds a term as it is, so that its hits can be counted. */
export function quoted(term: string): string {
  return `"${toWord(term)}"`;
}

import { searchFields, type CandidateFilter } from "../../domain/ports.ts";
import { fieldWeights, lengthOf, rarityOf, shareOf } from "../candidates.ts";
import { shareAt, type TermsCandidate } from "./documents.ts";
import type { KnownTerms } from "./caches.ts";
import { toWord } from "./words.ts";

/** A hit of a search for one term. */
export interface SingleHit {
  /** The passage's id. */
  readonly sid: string;
  readonly _rankingScore: number;
}

/** Statistics of a generation. */
export interface Statistics extends KnownTerms {
  /** Mean number of terms of a passage, as `lengthOf` counts them. */
  readonly averageLength: number;
}

/** The ids of the `limit` passages with the highest estimated scores, from the hits of single terms. */
export function bestHits(
  hits: Iterable<readonly [term: string, readonly SingleHit[]]>,
  { total, frequency }: KnownTerms,
  limit: number,
): readonly string[] {
  const worth = new Map<string, number>();
  for (const [term, ofTerm] of hits) {
    const rarity = rarityOf(frequency.get(term) ?? 0, total);
    for (const { sid, _rankingScore } of ofTerm)
      worth.set(sid, (worth.get(sid) ?? 0) + rarity * shareAt(_rankingScore));
  }
  const best = [...worth].toSorted((a, b) => b[1] - a[1]);
  return best.slice(0, limit).map(([id]) => id);
}

/**
 * At most `limit` of the hits, the best ones by the score of the SQLite index. Hits without any of the terms are left out:
 * Meilisearch also splits words, and finds `77` in text with a `7`.
 */
export function bestCandidates(
  hits: readonly TermsCandidate[],
  terms: readonly string[],
  { total, frequency, averageLength }: Statistics,
  limit: number,
): readonly TermsCandidate[] {
  const rarities = terms.map((term) => rarityOf(frequency.get(term) ?? 0, total));
  const scored = hits.map((one) => {
    const length = lengthOf(one.candidate.lengths) / averageLength;
    const scores = weightsIn(one, terms).map((weight, place) =>
      weight > 0 ? (rarities[place] ?? 0) * shareOf(weight, length) : 0,
    );
    return { one, score: scores.reduce((sum, score) => sum + score, 0) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ one }) => one);
}

/** The weights of the occurrences of each term in a candidate. */
function weightsIn({ terms: fields }: TermsCandidate, terms: readonly string[]): Float64Array {
  const weights = new Float64Array(terms.length);
  for (const [number, field] of searchFields.entries()) {
    const weight = fieldWeights[number] ?? 0;
    if (weight === 0) continue;
    for (const word of fields[field]) {
      const place = terms.indexOf(word);
      if (place >= 0) weights[place] = (weights[place] ?? 0) + weight;
    }
  }
  return weights;
}

/** Maximum number of terms in one search. Meilisearch reads ten words of a query. */
const togetherTerms = 5;
/**
 * Number of hits of single terms, as multiples of the limit: of all terms together, and maximum and minimum of one. With fewer
 * terms, more passages have only one of them. The effect of fewer hits is in docs/internals/decisions.md.
 */
const singleShares = { all: 6, most: 3, least: 1 };

/** Number of hits of single terms that are read, as a multiple of the limit. */
const readShare = 2;

/**
 * A search for passages with all words of `q`, or all but some from its end; the rarest words of the generation come first. With
 * Meilisearch's strategy `frequency`, which counts in all generations, answers would depend on other libraries.
 */
export interface Search {
  readonly q: string;
  readonly limit: number;
  readonly matchingStrategy: "last";
}

/** A search for one term. */
interface SingleSearch extends Search {
  readonly term: string;
}

/** The searches that find candidates. */
export interface Plan {
  /** A search for the rarest terms together; undefined for fewer than two terms. */
  readonly together: Search | undefined;
  /** A search for each term, whose hits never change in a generation. */
  readonly singles: readonly SingleSearch[];
  /** Number of the best hits of single terms to read: more than the wanted candidates, as their scores are estimates. */
  readonly read: number;
}

/** Plans the searches for passages with these terms. They find more passages than wanted, unordered. */
export function planSearches(terms: readonly string[], { limit }: Pick<CandidateFilter, "limit">): Plan {
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

import type { FilterableAttributes, Settings } from "meilisearch";
import { analyserVersion } from "../../ranking/analyse.ts";
import { searchedNames } from "./levels.ts";

/**
 * The version of Meilisearch that the adapters were tested on. An older one is refused, a newer one of the same major
 * version is used with a warning.
 *
 * The server is best run with `--max-indexing-memory 1GiB` (its default makes each small batch four times slower),
 * `--no-analytics` and `--env production`.
 */
export const testedMeilisearch = "1.50.0";

/** Layout of passage documents and the analysis behind them. A generation of another one counts as not loaded. */
export const passageFormat = `6.${analyserVersion}`;

/** Layout of library documents and the analysis behind them. An entry of another one is announced again. */
export const libraryFormat = `3.${analyserVersion}`;

/** Most hits that one search can give. */
const maxHits = 1000;

/**
 * When Meilisearch breaks a search off, in milliseconds, and answers with what it has. It does not say so; another time it
 * would find something else.
 */
export const searchCutoff = 5000;

/** Our indexes in Meilisearch. */
export type IndexName = "snippets" | "generations" | "libraries";

/** Settings of our indexes; what is not named keeps Meilisearch's default. */
export const indexSettings: Readonly<Record<IndexName, Settings>> = {
  /**
   * All passages of all generations. Only words that our own analysis made are searched, so nothing is left for
   * Meilisearch to guess: no typos, no prefixes, one language. Ranking is ours too; proximity in words would cost three
   * times the indexing time. The facet `snap` lists the generations that have passages.
   */
  snippets: {
    // In the order in which hits of a common word are taken.
    searchableAttributes: [...searchedNames],
    displayedAttributes: ["sid", "url", "tokens", "fields", "snippet"],
    filterableAttributes: byEquality(["snap", "kinds", "languages"]),
    sortableAttributes: [],
    rankingRules: ["words", "attributeRank"],
    typoTolerance: { enabled: false },
    prefixSearch: "disabled",
    facetSearch: false,
    proximityPrecision: "byAttribute",
    pagination: { maxTotalHits: maxHits },
    faceting: { maxValuesPerFacet: 10_000_000 },
    searchCutoffMs: searchCutoff,
    localizedAttributes: [{ attributePatterns: ["*"], locales: ["eng"] }],
  },
  /** A record of each generation that is loaded. */
  generations: {
    searchableAttributes: ["id"],
    displayedAttributes: ["id", "format", "snippets", "averageLength", "vocabulary"],
    filterableAttributes: byEquality(["snap"]),
    sortableAttributes: [],
    typoTolerance: { enabled: false },
    prefixSearch: "disabled",
    facetSearch: false,
    proximityPrecision: "byAttribute",
  },
  /** Libraries by their names, with typing errors and beginnings as Meilisearch finds them, and by analysed words. */
  libraries: {
    searchableAttributes: ["names", "reversed", "words"],
    displayedAttributes: ["uid", "entry"],
    filterableAttributes: byEquality(["owner", "lid", "exact", "claimed", "trigrams", "format"]),
    sortableAttributes: ["snippets"],
    rankingRules: ["words", "typo", "exactness", "sort", "snippets:desc"],
    typoTolerance: {
      enabled: true,
      minWordSizeForTypos: { oneTypo: 4, twoTypos: 8 },
      disableOnAttributes: ["words"],
    },
    prefixSearch: "indexingTime",
    facetSearch: false,
    proximityPrecision: "byAttribute",
    pagination: { maxTotalHits: maxHits },
    searchCutoffMs: searchCutoff,
    localizedAttributes: [{ attributePatterns: ["*"], locales: ["eng"] }],
  },
};

/** Attributes that are compared with `=` and `IN` only, which is all that is kept for them. */
function byEquality(attributePatterns: string[]): FilterableAttributes {
  return [{ attributePatterns, features: { facetSearch: false, filter: { equality: true, comparison: false } } }];
}

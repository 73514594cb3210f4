import type { FilterableAttributes, Settings } from "meilisearch";
import { analyserVersion } from "../ranking/analyse-text.ts";
import { searchedNames } from "./documents.ts";

/**
 * The version of Meilisearch that the adapters are tested on. An older one is refused; a newer one of the same major version
 * gives a warning.
 *
 * Run the server with `--max-indexing-memory 1GiB` (its default makes each small batch four times slower),
 * `--no-analytics` and `--env production`.
 */
export const testedMeilisearch = "1.50.0";

/** Version of passage documents and their analysis. A generation of another version counts as not loaded. */
export const passageFormat = `7.${analyserVersion}`;

/** Version of library documents and their analysis. An entry of another version is announced again. */
export const libraryFormat = `4.${analyserVersion}`;

/** ID, uid and format of the document that marks an incomplete index of libraries. Without an owner, no search finds it. */
export const incompleteMark = "incomplete";

/** Maximum number of hits of a search. */
const maxHits = 1000;

/** Time after which Meilisearch cuts a search short, in milliseconds. It then returns incomplete hits without saying so. */
export const searchCutoff = 5000;

/** Our indexes in Meilisearch. */
export type IndexName = "snippets" | "generations" | "libraries";

/** Settings of our indexes; others keep Meilisearch's defaults. */
export const indexSettings: Readonly<Record<IndexName, Settings>> = {
  /**
   * The passages of all generations. Meilisearch only searches the terms of our analysis: without typos, prefixes or languages.
   * Ranking is ours as well; proximity by word would triple the indexing time. The facet `snap` lists the generations.
   */
  snippets: {
    // Their order decides the order of hits.
    searchableAttributes: [...searchedNames],
    displayedAttributes: ["sid", "url", "tokens", "fields", "meaning", "snippet"],
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
  /** A record for each loaded generation. */
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
  /** Libraries by their names, with Meilisearch's typos and prefixes, by analysed words, and by the terms of what they say. */
  libraries: {
    searchableAttributes: ["names", "reversed", "words"],
    displayedAttributes: ["uid", "entry", "content"],
    filterableAttributes: byEquality(["owner", "lid", "exact", "claimed", "trigrams", "format", "terms", "strong"]),
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

/** Attributes that are only filtered with `=` and `IN`. */
function byEquality(attributePatterns: string[]): FilterableAttributes {
  return [{ attributePatterns, features: { facetSearch: false, filter: { equality: true, comparison: false } } }];
}

import { searchFields } from "../../domain/ports.ts";
import type { FieldTerms } from "../ranking/analyse.ts";
import { fieldWeights, lengthOf, mostShare, shareOf } from "../candidate-score.ts";

/**
 * The attributes of a document that Meilisearch searches: each word is in one of them, by its part in the passage's score. As
 * Meilisearch orders the hits of a word by attribute, the first ones are those that BM25 would put first. With one attribute for
 * titles, one for headings and one for text, the order of hits of a frequent word would be arbitrary.
 */
export const levelNames = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"] as const;

/**
 * All attributes that Meilisearch searches. The last three are those of 0.2.0: during an upgrade its processes go on answering, with
 * the settings of the new version. They can go in the version after this one.
 */
export const searchedNames: readonly string[] = [...levelNames, "tt", "th", "tb"];

/** One of `levelNames`. */
export type Level = (typeof levelNames)[number];

/**
 * Assumed mean number of terms of a passage. The generation's own is not known before all of it is written; the difference only matters
 * between passages with nearly equal scores.
 */
const meanLength = 150;

/** The terms of a passage, each once, by level. */
export function levelsOf(fields: FieldTerms): ReadonlyMap<Level, readonly string[]> {
  const weights = new Map<string, number>();
  for (const [number, field] of searchFields.entries()) {
    const weight = fieldWeights[number] ?? 0;
    for (const term of fields[field]) weights.set(term, (weights.get(term) ?? 0) + weight);
  }
  const length = lengthOf(searchFields.map((field) => fields[field].length)) / meanLength;
  return Map.groupBy(weights.keys(), (term) => levelOf(shareOf(weights.get(term) ?? 0, length)));
}

function levelOf(share: number): Level {
  const place = Math.floor((1 - share / mostShare) * levelNames.length);
  return levelNames[Math.min(place, levelNames.length - 1)] ?? "t11";
}

/** The `shareOf` a term in a passage, estimated from Meilisearch's score of the hit: 1 less the share of attributes before the term's. */
export function shareAt(rankingScore: number): number {
  const before = Math.round((1 - rankingScore) * searchedNames.length);
  return mostShare * Math.max(1 - (before + 0.5) / levelNames.length, 0);
}

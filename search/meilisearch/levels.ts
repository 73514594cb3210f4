import { searchFields } from "../../domain/ports.ts";
import type { FieldTerms } from "../../ranking/analyse.ts";
import { fieldWeights, lengthOf, mostShare, shareOf } from "../candidate-score.ts";

/**
 * The attributes of a document that Meilisearch searches, from the words that earn a passage most to those that earn it least.
 * It gives the hits of a word in the order of attributes: so the first are those that BM25 would give first. With one
 * attribute for titles, one for headings and one for text hits of a frequent word are in no order that says anything.
 */
export const levelNames = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"] as const;

/**
 * What Meilisearch searches. The last three are what 0.2.0 writes and searches: its processes answer until the last of them is
 * replaced, with the settings that the new version has set up. The version after this one can do without.
 */
export const searchedNames: readonly string[] = [...levelNames, "tt", "th", "tb"];

/** One of `levelNames`. */
export type Level = (typeof levelNames)[number];

/**
 * Terms of a passage of mean length. That of its generation is not known before all of it is written; this one only decides
 * between passages that are nearly as good.
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

/** What a term earns a passage, about, by the score that Meilisearch gives a hit of it: 1 less the share of attributes before its own. */
export function shareAt(rankingScore: number): number {
  const before = Math.round((1 - rankingScore) * searchedNames.length);
  return mostShare * Math.max(1 - (before + 0.5) / levelNames.length, 0);
}

import type { LibraryEntry } from "../domain/ports.ts";
import type { Subject } from "../domain/subject.ts";
import { signedBytes } from "../domain/meaning.ts";
import { analyse } from "./ranking/analyse-text.ts";
import { stopWords } from "./ranking/analyse-question.ts";
import { dimensions, meaningOf } from "./ranking/meaning.ts";
import { wordsOf } from "./ranking/terms.ts";

/** Maximum number of terms of a library. */
const maxTerms = 200;
/** Weight of a word in the name, the description and the titles; in a passage it is 1. */
const weightOf = { name: 6, description: 3, title: 2 };
/** Weighted number of titles and passages with a term from which more of them add little, in a library of `usualSize` passages. */
const saturation = 12;
const usualSize = 60;
/** How much less they count in larger libraries. */
const normalisation = 0.75;
/** Weight of the description in the vector, in multiples of that of all titles. */
const described = 2;

/** What a library says, for questions that name none. */
export interface LibraryContent {
  /** Its terms, each with how much it says of that, from 0 to 1; the greatest first. */
  readonly impacts: ReadonlyMap<string, number>;
  /** The vector of its description and titles. */
  readonly meaning: Int8Array;
}

/** The content of a library, from its entry and the words of its generation. */
export function contentOf(entry: LibraryEntry, subject?: Subject): LibraryContent {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    if (stopWords.has(text.toLowerCase())) return;
    for (const term of new Set(analyse(text))) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  for (const word of wordsOf(entry.title)) add(word, weightOf.name);
  for (const word of wordsOf(entry.description)) add(word, weightOf.description);
  for (const [word, count] of subject?.titles.words ?? []) add(word, weightOf.title * count);
  for (const [word, count] of subject?.passages.words ?? []) add(word, count);
  const best = [...weights].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, maxTerms);
  const half = saturation * (1 - normalisation + (normalisation * (subject?.passages.total ?? 1)) / usualSize);
  const impacts = best.map(([term, weight]) => [term, Math.round((1000 * weight) / (weight + half)) / 1000] as const);
  return { impacts: new Map(impacts), meaning: meaningFor(entry, subject) };
}

function meaningFor({ title, description }: LibraryEntry, subject: Subject | undefined): Int8Array {
  const ofTitles = new Float64Array(dimensions);
  for (const [word, count] of subject?.titles.words ?? []) {
    if (stopWords.has(word)) continue;
    for (const [at, value] of meaningOf(word).entries()) ofTitles[at] = (ofTitles[at] ?? 0) + count * value;
  }
  const own = meaningOf(`${title}. ${description}`);
  const [share, ownShare] = [1 / (lengthOf(ofTitles) || 1), described / (lengthOf(own) || 1)];
  return signedBytes(ofTitles.map((value, at) => share * value + ownShare * (own[at] ?? 0)));
}

function lengthOf(vector: Iterable<number>): number {
  return Math.hypot(...vector);
}

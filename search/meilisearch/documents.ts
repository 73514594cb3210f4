import { hash } from "node:crypto";
import { searchFields } from "../../domain/ports.ts";
import type { Candidate, SearchField } from "../../domain/ports.ts";
import { readPassage, codesOf, isServed, kindsOf } from "../../domain/passage.ts";
import type { ContentKind } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle } from "../ranking/analyse.ts";
import type { FieldTerms } from "../ranking/analyse.ts";
import { withLanguage } from "../loading.ts";
import { createVocabularyWriter } from "./vocabulary.ts";
import { toSnap, toWord } from "./words.ts";
import { fieldWeights, lengthOf, mostShare, shareOf } from "../candidates.ts";

/** A passage in the passage index, its words in the attributes by level. */
export interface PassageDocument extends Readonly<Partial<Record<Level, string>>> {
  /** Equal for the same passage of the same generation, so that writing it again replaces it. */
  readonly id: string;
  readonly snap: string;
  /** The passage's own id. */
  readonly sid: string;
  readonly kinds: readonly ContentKind[];
  /** Languages of its code, each as one word. */
  readonly languages: readonly string[];
  readonly url: string;
  readonly tokens: number;
  /** The terms of `searchFields`, one line each, for the ranker. */
  readonly fields: string;
  /** The passage's JSON. */
  readonly snippet: string;
}

/** Makes the documents of a generation, and gathers its statistics. */
export interface DocumentWriter {
  /**
   * The document of a passage's JSON, as JSON in one line; undefined if the passage is not served.
   * @throws SyntaxError for a line that is no JSON
   */
  write(line: string): string | undefined;
  /** Number of documents so far. */
  readonly count: number;
  /** Mean number of terms of each field so far. */
  averageLength(): Record<SearchField, number>;
  /** The terms so far that misspelt words may be corrected to, for `Vocabularies`. */
  vocabulary(): string;
}

/** Creates the writer of a generation. `language`: of code blocks that name none. */
export function createDocumentWriter(generation: string, language: string): DocumentWriter {
  const snap = toSnap(generation);
  const lengths = new Map<SearchField, number>();
  const vocabulary = createVocabularyWriter();
  let count = 0;
  return {
    get count() {
      return count;
    },
    write(line) {
      // A line of a generation, whose parts were checked against their hashes when they were read.
      const read = readPassage(line);
      if (!isServed(read)) return undefined;
      const passage = withLanguage(read, language);
      const terms = analysePassage(passage);
      for (const field of searchFields) lengths.set(field, (lengths.get(field) ?? 0) + terms[field].length);
      const levels = levelsOf(terms);
      vocabulary.add([...levels.values()].flat());
      const document: PassageDocument = {
        id: documentId(generation, passage.id),
        snap,
        sid: passage.id,
        kinds: kindsOf(passage),
        languages: [...new Set(codesOf(passage).map((block) => toWord(block.language)))],
        url: passage.page.url.toWellFormed(),
        tokens: passage.tokens,
        ...Object.fromEntries(Array.from(levels, ([level, words]) => [level, words.map(toWord).join(" ")])),
        fields: searchFields.map((field) => terms[field].join(" ")).join("\n"),
        snippet: passage === read ? line : JSON.stringify(passage),
      };
      count += 1;
      return JSON.stringify(document);
    },
    vocabulary: () => vocabulary.finish(),
    averageLength() {
      const mean = (field: SearchField) => (lengths.get(field) ?? 0) / Math.max(count, 1);
      return {
        title: mean("title"),
        breadcrumb: mean("breadcrumb"),
        path: mean("path"),
        identifiers: mean("identifiers"),
        prose: mean("prose"),
        code: mean("code"),
        subject: mean("subject"),
      };
    },
  };
}

/** The id of a passage's document. It begins with the generation, so that its documents are neighbours in Meilisearch's tables. */
export function documentId(generation: string, passage: string): string {
  return `${generation}-${hash("sha256", passage, "base64url").slice(0, 27)}`;
}

/** Attributes that a candidate is made of. */
export const candidateFields = ["url", "tokens", "fields"] as const satisfies (keyof PassageDocument)[];

/** A candidate with its terms. */
export interface TermsCandidate {
  readonly candidate: Candidate;
  readonly terms: FieldTerms;
}

/** The candidate of a document. */
export function toCandidate({
  sid,
  url,
  tokens,
  fields,
}: Pick<PassageDocument, "sid" | (typeof candidateFields)[number]>): TermsCandidate {
  const lines = fields.split("\n").map((line) => (line === "" ? [] : line.split(" ")));
  const [title = [], breadcrumb = [], path = [], prose = [], code = [], identifiers = [], subject = []] = lines;
  const terms = { title, breadcrumb, path, prose, code, identifiers, subject };
  const belowTitle = isBelowTitle(terms);
  const lengths = lines.map(({ length }) => length);
  return { candidate: { id: sid, pageUrl: url, belowTitle, lengths, tokens }, terms };
}

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
type Level = (typeof levelNames)[number];

/**
 * Assumed mean number of terms of a passage. The generation's own is not known before all of it is written; the difference only matters
 * between passages with nearly equal scores.
 */
const meanLength = 150;

/** The terms of a passage, each once, by level. */
function levelsOf(fields: FieldTerms): ReadonlyMap<Level, readonly string[]> {
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

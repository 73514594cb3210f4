import { hash } from "node:crypto";
import { searchFields, type Candidate, type SearchField } from "../../domain/ports.ts";
import { readPassage, codesOf, isServed, kindsOf, type ContentKind } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle, type FieldTerms } from "../ranking/analyse-text.ts";
import { dimensions, meaningOfPassage } from "../ranking/meaning.ts";
import { toServed } from "../loading.ts";
import { createVocabularyWriter } from "./vocabulary.ts";
import { toSnap, toWord } from "./words.ts";
import { fieldWeights, lengthOf, maxShare, shareOf } from "../candidates.ts";

/** A passage in the passage index, with its words in the attributes of their levels. */
export interface PassageDocument extends Readonly<Partial<Record<Level, string>>> {
  /** By generation and passage, so that writing a passage again replaces it. */
  readonly id: string;
  readonly snap: string;
  /** The passage's own id. */
  readonly sid: string;
  readonly kinds: readonly ContentKind[];
  /** Languages of its code, each as one word. */
  readonly languages: readonly string[];
  readonly url: string;
  readonly tokens: number;
  /** The terms of each of `searchFields`, one line each, for the ranker. */
  readonly fields: string;
  /** The bytes of its meaning in Base64: those of the table, then those of its embedding, if it has one. */
  readonly meaning: string;
  /** The passage's JSON. */
  readonly snippet: string;
}

/** Makes the documents of a generation, and collects its statistics. `language` is that of code blocks that name none. */
export function createDocumentWriter(generation: string, language: string) {
  const snap = toSnap(generation);
  const lengths = new Map<SearchField, number>();
  const vocabulary = createVocabularyWriter();
  let count = 0;
  /** The lengths of meanings. */
  const widths = new Set<number>();
  return {
    /** Number of documents so far. */
    get count(): number {
      return count;
    },
    /** The document of a passage's JSON, as one line of JSON; undefined if it is not served. @throws SyntaxError for invalid JSON */
    write(line: string): string | undefined {
      const loaded = readPassage(line);
      if (!isServed(loaded)) return undefined;
      const meaning = meaningOfPassage(loaded);
      widths.add(meaning.length);
      const { passage, line: snippet } = toServed(loaded, line, language);
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
        meaning: Buffer.from(meaning.buffer).toString("base64"),
        snippet,
      };
      count += 1;
      return JSON.stringify(document);
    },
    /** Whether all passages so far have an embedding of the same length. */
    isEmbedded: (): boolean => widths.size === 1 && !widths.has(dimensions),
    /** The possible corrections of misspelt words so far, for `createVocabularies`. */
    vocabulary: (): string => vocabulary.finish(),
    /** Mean number of terms of each field so far. */
    averageLength(): Record<SearchField, number> {
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

/** The id of a passage's document. It begins with the generation, whose documents are thus adjacent in Meilisearch's tables. */
export function documentId(generation: string, passage: string): string {
  return `${generation}-${hash("sha256", passage, "base64url").slice(0, 27)}`;
}

/** Attributes needed for a candidate. */
export const candidateFields = ["url", "tokens", "fields", "meaning"] as const satisfies (keyof PassageDocument)[];

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
  meaning,
}: Pick<PassageDocument, "sid" | (typeof candidateFields)[number]>): TermsCandidate {
  const lines = fields.split("\n").map((line) => (line === "" ? [] : line.split(" ")));
  const [title = [], breadcrumb = [], path = [], prose = [], code = [], identifiers = [], subject = []] = lines;
  const terms = { title, breadcrumb, path, prose, code, identifiers, subject };
  const belowTitle = isBelowTitle(terms);
  const lengths = lines.map(({ length }) => length);
  return { candidate: { id: sid, pageUrl: url, belowTitle, lengths, tokens, meaning: bytesOf(meaning) }, terms };
}

function bytesOf(base64: string): Int8Array {
  return new Int8Array(Buffer.from(base64, "base64"));
}

/**
 * The searched attributes of a document. Each word is in one of them, its level, by its share in the passage's score. As Meilisearch
 * orders the hits of a word by attribute, the first ones are those that BM25 would put first. With attributes for titles, headings
 * and text instead, the order of hits of a frequent word would be arbitrary.
 */
export const levelNames = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"] as const;

/**
 * All searched attributes. The last three are those of 0.2.0, whose processes still answer during an upgrade, with the settings of
 * the new version. The next version can remove them.
 */
export const searchedNames: readonly string[] = [...levelNames, "tt", "th", "tb"];

/** One of `levelNames`. */
type Level = (typeof levelNames)[number];

/**
 * Assumed mean number of terms of a passage, as the generation's is unknown before all of it is written. The difference only matters
 * between passages with nearly equal scores.
 */
const meanLength = 150;

/** The distinct terms of a passage, by level. */
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
  const place = Math.floor((1 - share / maxShare) * levelNames.length);
  return levelNames[Math.min(place, levelNames.length - 1)] ?? "t11";
}

/** The `shareOf` a term in a passage, estimated from Meilisearch's score of the hit: 1 minus the share of attributes before its own. */
export function shareAt(rankingScore: number): number {
  const before = Math.round((1 - rankingScore) * searchedNames.length);
  return maxShare * Math.max(1 - (before + 0.5) / levelNames.length, 0);
}

import type { LibraryKey } from "./library.ts";
import type { ContentKind, Passage } from "./passage.ts";
import type { ClaimedName } from "./source.ts";
import type { StepControl } from "./steps.ts";
import type { Subject } from "./subject.ts";

/** The searched fields, each analysed separately. */
export const searchFields = ["title", "breadcrumb", "path", "prose", "code", "identifiers", "subject"] as const;
export type SearchField = (typeof searchFields)[number];

/** An analysed question. An index looks up its terms and stand-ins; the ranker weighs them. */
export interface Question {
  /** Distinct analysed terms, in the order of first appearance. */
  readonly terms: readonly string[];
  /** The term of the question for each of its synonyms: `authent` -> `auth`. */
  readonly standIns: ReadonlyMap<string, string>;
  /** The index term of operations that do what is asked for (`verbs.ts`). `isSure`: the verb of the question has no other meaning. */
  readonly mark?: { readonly term: string; readonly isSure: boolean };
  /** The steps of a task, if it has several, in order. */
  readonly steps?: readonly Question[];
  /** Terms that are plain words, whose spelling is corrected if the index lacks them. */
  readonly words: readonly string[];
  /** Its vector by the ranker's table, quantised to signed bytes; with `model`, followed by its embedding by the model. */
  readonly meaning: Int8Array;
  readonly model?: string;
}

/** A passage that may answer, as the ranker needs it. */
export interface Candidate {
  readonly id: string;
  /** Address of its page. */
  readonly pageUrl: string;
  /** It is directly below the title of its page, in no section. */
  readonly belowTitle: boolean;
  /** Number of terms in each of `searchFields`. */
  readonly lengths: ArrayLike<number>;
  readonly tokens: number;
  /** The vector of its titles and the beginning of its text, as the `meaning` of a question. */
  readonly meaning: Int8Array;
}

/** Occurrences of a term, as triples: index of the candidate, index of the field in `searchFields`, number of occurrences. */
export type Occurrences = readonly number[];

/** Candidates in no particular order, with the statistics of the whole generation. */
export interface Candidates {
  /** Number of passages of the generation. */
  readonly total: number;
  /** Mean number of terms of each field. */
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** As `PassageIndex.model`. */
  readonly model: string;
  /** Number of passages with each looked-up term, corrections included. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  /** Spelling corrections for words of the question that no passage has, likeliest first. */
  readonly corrections: ReadonlyMap<string, readonly string[]>;
  readonly candidates: readonly Candidate[];
  /** Occurrences of each looked-up term in the candidates, corrections included; a missing term occurs in none. */
  readonly occurrences: ReadonlyMap<string, Occurrences>;
  /** The passages of some of these candidates, in the order of the IDs. @throws Failure search_failed if one is gone */
  read(ids: readonly string[]): Promise<readonly Passage[]>;
}

export interface CandidateFilter {
  /** Maximum number of candidates, the best by `search/candidates.ts`. */
  readonly limit: number;
  /** Only passages that have this kind of content. */
  readonly kind?: ContentKind;
  /** Only passages with a code block in this language, in lower case. */
  readonly language?: string;
}

/** Options of loading a generation. */
export interface LoadOptions extends StepControl {
  /** The language of code blocks that name none; "" if unknown. */
  readonly language: string;
  /** The model of the embeddings in the lines. If all served passages have one, they are the generation's. */
  readonly model?: string;
}

/** The index of passages: a projection of generations, from which it can always be rebuilt. */
export interface PassageIndex {
  /**
   * Loads the served passages of a generation, and resolves to their number once all can be found. Loading again changes
   * nothing, unless `model` is another one: the passages then stay, and get new embeddings at the end. An interrupted load leaves
   * nothing that can be found. `parts` are those of the generation (NDJSON in UTF-8), so
   * that they are not parsed on the event loop; the buffers belong to the index from then on.
   */
  load(generation: string, parts: AsyncIterable<Uint8Array>, options: LoadOptions): Promise<number>;
  /** Number of passages that can be found; undefined: the generation is not loaded. Only `verify` reads all of it. */
  count(generation: string): Promise<number | undefined>;
  /** The model of a generation's embeddings; "": it has none; undefined: it is not loaded. */
  model(generation: string): Promise<string | undefined>;
  /** Whether a generation is undamaged. Reads all of it, unless that was done recently. Absent: its server does that. */
  verify?(generation: string): Promise<boolean>;
  /** One query. @throws Failure index_rebuilding if the generation is not loaded, search_failed if the index is unavailable */
  candidates(generation: string, question: Question, filter: CandidateFilter): Promise<Candidates>;
  /** Removes a generation; no error where it is missing. */
  drop(generation: string): Promise<void>;
  /** Every generation that takes space, half-loaded ones included. */
  generations(): Promise<readonly string[]>;
  /** Bytes on the disk of its server; absent: it has files of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  /** Restores what its server has lost, so that generations can be loaded; absent: not needed. @throws Failure search_failed */
  prepare?(): Promise<void>;
  /** Resolves when reads can be answered. @throws Failure search_failed */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A library in the LibraryIndex. */
export interface LibraryEntry {
  readonly uid: string;
  readonly key: LibraryKey;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The names that package manifests in the source claim for it. */
  readonly aliases: readonly ClaimedName[];
  readonly source: string;
  readonly branch: string;
  readonly versions: readonly string[];
  readonly totalSnippets: number;
  readonly totalTokens: number;
  readonly trust: number | null;
  /** Stars at the host of its repository; absent: unknown. */
  readonly stars?: number;
  /** When the live generation was made. */
  readonly updatedAt: number;
  /** It was put before its first generation goes live: searches leave it out until then. */
  readonly isAhead?: true;
}

/** A library that may have the answer to a question, by what it says. */
export interface ContentMatch {
  readonly entry: LibraryEntry;
  /** How much it says of each looked-up term that it has, from 0 to 1. */
  readonly impacts: ReadonlyMap<string, number>;
  /** The mean vector of its description and titles, as the `meaning` of a question by the ranker's table. */
  readonly meaning: Int8Array;
}

/** Libraries that may have the answer to a question, in no particular order, with the statistics of all libraries of their owners. */
export interface ContentMatches {
  readonly total: number;
  /** Number of libraries with each looked-up term. */
  readonly frequency: ReadonlyMap<string, number>;
  readonly libraries: readonly ContentMatch[];
}

/** The libraries among which a question looks. */
export interface ContentFilter {
  readonly teamspaces: readonly string[];
  /** Maximum number of libraries. */
  readonly limit: number;
  /** Only these libraries, all that have a term of the question; `limit` does not count. */
  readonly uids?: readonly string[];
}

/** The index of libraries by name, words and content: those with a live generation, and those whose first one is about to be. */
export interface LibraryIndex {
  /** `subject`: what its generation is about; absent if that is unknown. */
  put(entry: LibraryEntry, subject?: Subject): Promise<void>;
  remove(uid: string): Promise<void>;
  /** Entries of the given owners that may match, in no particular order. */
  candidates(
    teamspaces: readonly string[],
    name: string,
    query: string,
    limit: number,
  ): Promise<readonly LibraryEntry[]>;
  /** Libraries that say something about a question. */
  byContent(question: Question, filter: ContentFilter): Promise<ContentMatches>;
  /** The existing entries of some libraries, in no particular order. */
  entries(uids: readonly string[]): Promise<readonly LibraryEntry[]>;
  uids(): Promise<readonly string[]>;
  /** False: it was recreated, and lacks entries; searches throw index_rebuilding until `complete`. Absent: always true. */
  isWhole?(): Promise<boolean>;
  /** Called when every library was put after the index was recreated. */
  complete?(): Promise<void>;
}

/** The reasons for an order of candidates. Figures are only comparable within one order. */
export interface ExplainedOrder {
  /** The terms of the question, in order, with the terms looked up for each. */
  readonly words: readonly {
    readonly word: string;
    /** Its maximum score in a passage: the rarer, the higher. */
    readonly worth: number;
    readonly terms: readonly {
      readonly term: string;
      /** `operation`: the mark of operations that do it. */
      readonly as: "word" | "operation" | "synonym" | "spelling";
      /** The weight of an occurrence. */
      readonly share: number;
      /** Number of passages that have it. */
      readonly passages: number;
    }[];
  }[];
  /** The best first. */
  readonly passages: readonly ExplainedPassage[];
  /** What told how alike meanings are: `table`, or the name of the model. */
  readonly meaningBy: string;
}

/** Why a passage has its rank. `score` is `factor * (own + page) + meaning`; for the first passage of an operation, the best of its page. */
export interface ExplainedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  /** Score of its own fields. */
  readonly own: number;
  /** Score for the text, the path and the subject of its page. */
  readonly page: number;
  readonly factor: number;
  /** Score for what it means, whatever its words. */
  readonly meaning: number;
  /** The share of each word in `own`. */
  readonly earned: readonly number[];
  /** Where the terms occur in it. */
  readonly found: readonly { readonly term: string; readonly field: SearchField; readonly times: number }[];
}

/** The maximum number of ranked passages, and the budget of the answer in tokens, which is shared among pages. */
export interface RankLimits {
  readonly limit: number;
  readonly tokens: number;
}

/** Orders candidates: pure, the same for every index. */
export interface Ranker {
  /** Changes whenever answers may change, which invalidates cached ones. */
  readonly version: string;
  /** The question to a library, whose name is left out, or to none in particular. */
  analyseQuestion(query: string, library?: { readonly id: string; readonly title: string }): Question;
  /** The question with its embedding by a model, which then decides in place of the table. */
  withEmbedding(question: Question, model: string, embedding: Int8Array): Question;
  /** The vector of a page, by the table: the mean of those of its passages, by their headings and the beginnings of their prose. */
  meaningOfPage(passages: readonly Passage[]): Int8Array;
  /** How much like a question a vector of the table is, from -1 to 1; of a text, its vector. */
  likeness(question: Question, meaning: Int8Array | string): number;
  /** Best first. */
  rank(
    question: Question,
    candidates: Candidates,
    limits: RankLimits,
  ): readonly { readonly candidate: Candidate; readonly score: number }[];
  /** The figures of the order that `rank` gives the same candidates. */
  explain(question: Question, candidates: Candidates, limits: RankLimits): ExplainedOrder;
  /** The claim of a library that has a name; undefined: none. */
  claimFor(name: string, entry: Pick<LibraryEntry, "aliases">): ClaimedName | undefined;
  /** A few rare words of the question that no passage of the generation has, as written. */
  missing(query: string, question: Question, candidates: Candidates): readonly string[];
  /** Whether a name is, or nearly is, a library's name or a part of it; its description does not count. */
  isNamed(name: string, entry: LibraryEntry): boolean;
  /** Whether a text finds any of some libraries by its names, or by its words in names and description. */
  fitsName(text: string, entries: readonly LibraryEntry[]): boolean;
  /** The libraries whose name a text nearly is or begins, and those whose name is in it; common words are no names. */
  namedIn(text: string, entries: readonly LibraryEntry[]): readonly LibraryEntry[];
  /** Best first, without entries that do not match the name. */
  rankLibraries(name: string, query: string, entries: readonly LibraryEntry[]): readonly LibraryEntry[];
  /** Best first, without libraries that say nothing about the question. Scores are shares of the best one. */
  rankByContent(
    question: Question,
    matches: ContentMatches,
  ): readonly { readonly entry: LibraryEntry; readonly score: number }[];
  /** How well a library's answer fits a question to none in particular: comparable among libraries, higher is better. */
  fitOfAnswer(
    question: Question,
    statistics: Pick<ContentMatches, "total" | "frequency">,
    answer: { readonly question: Question; readonly candidates: Candidates; readonly passages: readonly Passage[] },
  ): number;
}

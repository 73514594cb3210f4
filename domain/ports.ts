import type { LibraryKey } from "./library.ts";
import type { ContentKind, Finding, Passage } from "./passage.ts";
import type { RunRecord } from "./catalog.ts";
import type { ClaimedName } from "./source.ts";
import type { Progress } from "./steps.ts";

/** The Catalog and its records: the largest port, in a file of its own. */
export type * from "./catalog.ts";

/** The Limiter port: how requests are counted. */

/** The Source port. */
export type * from "./source-port.ts";

// ---------------------------------------------------------------------------------------------------- blobs

/** A blob as the file system has it. */
export interface WrittenBlob {
  readonly key: string;
  readonly bytes: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly at: number;
}

/** Immutable blobs by key: segments of `A-Z a-z 0-9 . _ -`, joined with `/`. */
export interface BlobStore {
  /** Durable once it resolves; atomic for readers. Putting again replaces. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The blob, whose buffer belongs to the caller; undefined: there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys below a prefix that ends in `/`, in no order. */
  list(prefix: string): AsyncIterable<string>;
  /** As `list`, with what the file system says of each blob, which damage changes. Absent: there is no file system. */
  written?(prefix: string): AsyncIterable<WrittenBlob>;
  /** Removes all keys below a prefix that ends in `/`. */
  removeAll(prefix: string): Promise<void>;
  /**
   * Removes what killed processes left half-written or half-removed before the given time (milliseconds since 1970).
   * Readers never see it; it only takes space.
   */
  sweepTemporary(olderThan: number): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- screening

/** A passage to be judged: whatever an agent would read of it, and an ID that is unique among those that are judged together. */
export interface JudgedPassage {
  readonly id: string;
  readonly text: string;
}

/** Judges passages before they are published, after the built-in screen, which extraction applies. Reads never wait for it. */
export interface Screen {
  /** Names the judge: with another name all passages are extracted, and judged, again. */
  readonly name: string;
  /**
   * What is found in each passage, by its ID; passages without findings are left out. Undefined: nothing was judged, as the judge is
   * out of reach, and the operator has it that passages are published without its judgement then.
   * @throws Failure service_unavailable where they are not to be
   */
  judge(
    passages: readonly JudgedPassage[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Finding[]> | undefined>;
}

// ---------------------------------------------------------------------------------------------------- search

/** The searched fields, each analysed separately. */
export const searchFields = ["title", "breadcrumb", "path", "prose", "code", "identifiers", "subject"] as const;
export type SearchField = (typeof searchFields)[number];

/** An analysed question. An index looks up its terms and stand-ins; the ranker weighs them. */
export interface Question {
  /** Distinct analysed terms, in the order of first appearance. */
  readonly terms: readonly string[];
  /** Pairs of adjacent terms of the question. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Synonyms to the term of the question that they stand in for: `authent` to `auth`. */
  readonly standIns: ReadonlyMap<string, string>;
  /** The stand-in that marks operations which do what is asked for (`verbs.ts`); `isSure` where the verb of the question has no other meaning. */
  readonly mark?: { readonly term: string; readonly isSure: boolean };
  /** Terms that are plain words: an index that lacks them all offers spelling corrections. */
  readonly words: readonly string[];
}

/** A passage that may answer, as the ranker needs it. */
export interface Candidate {
  readonly id: string;
  /** Address of its page. */
  readonly pageUrl: string;
  /** It stands directly below the title of its page, outside of all sections. */
  readonly belowTitle: boolean;
  /** Number of terms in each of `searchFields`. */
  readonly lengths: ArrayLike<number>;
  readonly tokens: number;
}

/**
 * The occurrences of a term, as triples: index of the candidate, index of the field in `searchFields`, and the number of
 * occurrences there.
 */
export type Occurrences = readonly number[];

/** Candidates in no particular order, with the statistics of the whole generation. */
export interface Candidates {
  /** Number of passages of the generation. */
  readonly total: number;
  /** Mean number of terms of each field. */
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** Number of passages with each looked-up term, corrections included. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  /** Spelling corrections for words of the question that no passage has, likeliest first. */
  readonly corrections: ReadonlyMap<string, readonly string[]>;
  readonly candidates: readonly Candidate[];
  /** Occurrences of each looked-up term in the candidates, corrections included; a missing term occurs in none. */
  readonly occurrences: ReadonlyMap<string, Occurrences>;
  /**
   * The passages of some of these candidates, as the generation has them, in the order of the IDs.
   * @throws Failure search_failed where one cannot be read any more
   */
  read(ids: readonly string[]): Promise<readonly Passage[]>;
}

export interface CandidateFilter {
  /** Maximum number of candidates: the best by `search/candidates.ts`. */
  readonly limit: number;
  /** Only passages that have this kind of content. */
  readonly kind?: ContentKind;
  /** Only passages with a code block in this language, in lower case. */
  readonly language?: string;
}

/** The interface between a step and its engine. */
export interface StepControl {
  /** Aborts when the step has to stop. */
  readonly signal: AbortSignal;
  /** Heartbeat with progress. Cheap: the engine decides how often it is recorded. */
  report(progress: Progress): void;
}

/** Options of loading a generation. */
export interface LoadOptions extends StepControl {
  /** Language of code blocks that name none: that of most code of the library; "" where it is unknown. */
  readonly language: string;
}

/** The index of passages: a projection of generations, from which it can always be rebuilt. */
export interface PassageIndex {
  /**
   * Loads the served passages of a generation, and resolves once all can be found, to the number that the index confirms.
   * Loading again changes nothing; an interrupted load leaves nothing that can be found. The passages come as the parts of
   * the generation (NDJSON in UTF-8), so that they are not parsed on the event loop; passages in them that are not served
   * are left out. The buffers belong to the index from then on.
   */
  load(generation: string, parts: AsyncIterable<Uint8Array>, options: LoadOptions): Promise<number>;
  /** Number of passages that can be found; undefined: the generation is not loaded. Damage that only all of it shows is left to `verify`. */
  count(generation: string): Promise<number | undefined>;
  /** Reads all of a generation, unless that was done lately: whether it is as it was loaded. Absent: its server sees to that. */
  verify?(generation: string): Promise<boolean>;
  /** One query. @throws Failure index_rebuilding where the generation is not loaded, search_failed where the index is unavailable */
  candidates(generation: string, question: Question, filter: CandidateFilter): Promise<Candidates>;
  /** Removes a generation; no error where it is missing. */
  drop(generation: string): Promise<void>;
  /** Every generation that takes space, half-loaded ones included. */
  generations(): Promise<readonly string[]>;
  /** Bytes that its server takes on disk; absent: it is files of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  /** Makes again what its server has lost, so that generations can be loaded. Absent: there is nothing to make. @throws Failure search_failed that says what to do */
  prepare?(): Promise<void>;
  /** Resolves when a read can be answered. @throws Failure search_failed that says what to do */
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
  /** At the host of its repository; absent: unknown. */
  readonly stars?: number;
  /** When the live generation was made. */
  readonly updatedAt: number;
  /** Put before its first generation goes live: searches leave it out until something of the library is live. */
  readonly isAhead?: true;
}

/** The index of libraries by name and words: those with a live generation, and those whose first one is about to be. */
export interface LibraryIndex {
  put(entry: LibraryEntry): Promise<void>;
  remove(uid: string): Promise<void>;
  /** Entries of the given owners that may be meant, in no particular order. */
  candidates(
    teamspaces: readonly string[],
    name: string,
    query: string,
    limit: number,
  ): Promise<readonly LibraryEntry[]>;
  /** The entries of some libraries, of those that have one, in no particular order. */
  entries(uids: readonly string[]): Promise<readonly LibraryEntry[]>;
  uids(): Promise<readonly string[]>;
  /** False: it was made anew, and lacks entries; until `complete` a search throws Failure index_rebuilding. Absent: it never is. */
  isWhole?(): Promise<boolean>;
  /** Every library has been put since it was made anew. */
  complete?(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- indexing

/** The engine: executes runs that the catalog has opened. */
export interface Indexing {
  /**
   * Executes an open run. Starting it again changes nothing. A run whose execution ended without closing it is closed with
   * the reason. @throws Failure service_unavailable, within 2 s
   */
  start(run: RunRecord): Promise<void>;
  /** Requests the cancellation of a run, which ends soon after. */
  cancel(run: RunRecord): Promise<void>;
  /** Called before a run is opened, so that nothing is written for an unavailable engine. @throws Failure service_unavailable, within 2 s */
  ready(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- small ones

/** Encrypts secrets at rest. */
export interface Secrets {
  seal(plain: string): string;
  /** @throws Failure internal_error where the key ring lacks its key */
  open(sealed: string): string;
}

/** Why candidates have their order. Figures are comparable within one order only. */
export interface ExplainedOrder {
  /** The terms of the question, in order, with all that was looked up for each. */
  readonly words: readonly {
    readonly word: string;
    /** Maximum score of a passage that has it: the rarer, the higher. */
    readonly worth: number;
    readonly terms: readonly {
      readonly term: string;
      /** The word itself, the mark of operations that do it, a synonym, or a spelling correction. */
      readonly as: "word" | "operation" | "synonym" | "spelling";
      /** The weight of an occurrence. */
      readonly share: number;
      /** Number of passages that have it. */
      readonly passages: number;
    }[];
  }[];
  /** The best first. */
  readonly passages: readonly ExplainedPassage[];
}

/** Why a passage has its rank: `score` is `factor * (own + beside + page)`; for the first passage of an operation's page, the best score of that page. */
export interface ExplainedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  /** Score of its own fields. */
  readonly own: number;
  /** Score for another passage of its page. */
  readonly beside: number;
  /** Score for the text, the path and the subject of its page. */
  readonly page: number;
  readonly factor: number;
  /** The share of each word in `own`. */
  readonly earned: readonly number[];
  /** Where the terms occur in it. */
  readonly found: readonly { readonly term: string; readonly field: SearchField; readonly times: number }[];
}

/** Orders candidates: pure, the same for every index. */
export interface Ranker {
  /** Changes whenever answers may change, so that cached ones are invalid. */
  readonly version: string;
  analyseQuestion(query: string, library: { readonly id: string; readonly title: string }): Question;
  /** Best first, `limit` at most. */
  rank(
    question: Question,
    candidates: Candidates,
    limit: number,
  ): readonly { readonly candidate: Candidate; readonly score: number }[];
  /** The figures behind the order that `rank` gives the same candidates. */
  explain(question: Question, candidates: Candidates, limit: number): ExplainedOrder;
  /** The claim by which a name finds a library; undefined: none of its claims has that name. */
  claimFor(name: string, entry: Pick<LibraryEntry, "aliases">): ClaimedName | undefined;
  /** A few rare words of the question that no passage of the generation has, as written. */
  missing(query: string, question: Question, candidates: Candidates): readonly string[];
  /** True where a name is, or nearly is, the name of a library or a part of it; its description does not count. */
  isNamed(name: string, entry: LibraryEntry): boolean;
  /** Best first, without entries that the name does not fit. */
  rankLibraries(name: string, query: string, entries: readonly LibraryEntry[]): readonly LibraryEntry[];
}

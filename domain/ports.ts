import type { LibraryKey } from "./library.ts";
import type { ContentKind, Passage } from "./passage.ts";
import type { RunRecord } from "./catalog.ts";
import type { ClaimedName } from "./source.ts";
import type { Progress } from "./steps.ts";

/** The Catalog and its records: the largest port, in a file of its own. */
export type * from "./catalog.ts";

/** The Limiter port: how requests are counted. */
export type * from "./limiter.ts";

/** The Source port: what is read, and what is told of it. */
export type * from "./source-port.ts";

// ---------------------------------------------------------------------------------------------------- blobs

/** Immutable blobs by key: segments of `A-Z a-z 0-9 . _ -`, joined with `/`. */
export interface BlobStore {
  /** Durable and whole once it resolves; a reader sees all of it or nothing. Putting again replaces. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The blob, which is the caller's own; undefined where there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys below a prefix that ends in `/`, in no order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes all below a prefix that ends in `/`. */
  removeAll(prefix: string): Promise<void>;
  /**
   * Clears what killed processes left half-written or half-removed and that is older than the given time (milliseconds
   * since 1970). No reader ever sees such leftovers; they only take room.
   */
  sweepTemporary(olderThan: number): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- search

/** The fields that are searched, each analysed on its own. */
export const searchFields = ["title", "breadcrumb", "path", "prose", "code", "identifiers", "subject"] as const;
export type SearchField = (typeof searchFields)[number];

/** A question after analysis. An index looks up its terms and stand-ins; the ranker knows what each is worth. */
export interface Question {
  /** Analysed terms without repeats, the order of first appearance. */
  readonly terms: readonly string[];
  /** Pairs of terms that stand side by side in the question. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Terms that mean what one of the question's terms means, by which they are found here: `authent` to `auth`. */
  readonly standIns: ReadonlyMap<string, string>;
  /** The stand-in that is the mark of operations which do what is asked for (`verbs.ts`), and whether the verb of the question says just that. */
  readonly mark?: { readonly term: string; readonly isSure: boolean };
  /** Terms that are plain words: an index that has none of them names those that are spelt nearly so. */
  readonly words: readonly string[];
}

/** A passage that may answer, with what the ranker needs of it. */
export interface Candidate {
  readonly id: string;
  /** The page that it stands on. */
  readonly pageUrl: string;
  /** Whether it stands right below the title of its page and in no section. */
  readonly belowTitle: boolean;
  /** Terms in each of `searchFields`. */
  readonly lengths: ArrayLike<number>;
  readonly tokens: number;
}

/**
 * Where a term stands in candidates: the place of a candidate among them, the place of one of its fields in `searchFields`, and
 * how often the term stands there; then the next three.
 */
export type Occurrences = readonly number[];

/** Candidates in no order of meaning, with the statistics of the whole generation. */
export interface Candidates {
  /** Passages in the generation. */
  readonly total: number;
  /** Mean terms of each field. */
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** In how many passages each term occurs that was looked up, corrections among them. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  /** Spelling corrections for words of the question that no passage has, the likeliest first. */
  readonly corrections: ReadonlyMap<string, readonly string[]>;
  readonly candidates: readonly Candidate[];
  /** Where the terms stand in the candidates that were looked up, corrections among them; one that is missing stands in none. */
  readonly occurrences: ReadonlyMap<string, Occurrences>;
  /**
   * The passages themselves, as they stand in the generation, in the order of the ids: some of these candidates'.
   * @throws Failure search_failed where one cannot be read any more
   */
  read(ids: readonly string[]): Promise<readonly Passage[]>;
}

export interface CandidateFilter {
  /** Candidates at most: those that fit best, by `search/candidate-score.ts`. */
  readonly limit: number;
  /** Only passages that have it. */
  readonly kind?: ContentKind;
  /** Lower-case language that at least one code block has. */
  readonly language?: string;
}

/** What a step gets from its engine. */
export interface StepControl {
  /** Aborts when the step is to stop. */
  readonly signal: AbortSignal;
  /** Tells that the step is alive and how far it is. Cheap: the engine decides how often it is written down. */
  report(progress: Progress): void;
}

/** What loading a generation needs besides its passages. */
export interface LoadOptions extends StepControl {
  /** The language of code blocks that have none: what most code of the library is in; "" where nothing tells. */
  readonly language: string;
}

/** Where passages are looked up. It projects generations: it can always be rebuilt from them. */
export interface PassageIndex {
  /**
   * Loads the served passages of a generation and resolves once each can be found; the answer is how many the index
   * confirms. Loading again changes nothing; a broken load leaves nothing that is found. The passages come as the
   * generation's parts (UTF-8, a line with the JSON of one each), so that they need not be parsed on the event
   * loop; lines of passages that are not served are among them and are left out. The bytes are the index's from then on.
   */
  load(generation: string, parts: AsyncIterable<Uint8Array>, options: LoadOptions): Promise<number>;
  /** Passages that can be found; undefined where the generation is not loaded. */
  count(generation: string): Promise<number | undefined>;
  /** One query. @throws Failure index_rebuilding where the generation is not loaded, search_failed where the index is out of reach */
  candidates(generation: string, question: Question, filter: CandidateFilter): Promise<Candidates>;
  /** Removes a generation; one that is not there is no error. */
  drop(generation: string): Promise<void>;
  /** Every generation that takes room, half-loaded ones among them. */
  generations(): Promise<readonly string[]>;
  /** Bytes that its server takes on disk; absent: it has none, but files of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** What library search knows of a library. */
export interface LibraryEntry {
  readonly uid: string;
  readonly key: LibraryKey;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The names that manifests of packages claim for it. */
  readonly aliases: readonly ClaimedName[];
  readonly source: string;
  readonly branch: string;
  readonly versions: readonly string[];
  readonly totalSnippets: number;
  readonly totalTokens: number;
  readonly trust: number | null;
  /** At the host of its repository; absent: not known. */
  readonly stars?: number;
  /** When the live generation was made. */
  readonly updatedAt: number;
}

/** Libraries by name and words. Only those with a live generation are in it. */
export interface LibraryIndex {
  put(entry: LibraryEntry): Promise<void>;
  remove(uid: string): Promise<void>;
  /** Entries that may be meant, in no order of meaning, of the given owners. */
  candidates(
    teamspaces: readonly string[],
    name: string,
    query: string,
    limit: number,
  ): Promise<readonly LibraryEntry[]>;
  /** The entries of libraries, in no order; of those that have one. */
  entries(uids: readonly string[]): Promise<readonly LibraryEntry[]>;
  uids(): Promise<readonly string[]>;
}

// ---------------------------------------------------------------------------------------------------- indexing

/** The engine: executes runs that the catalog has opened. */
export interface Indexing {
  /**
   * Sees to it that the open run executes. Starting it again changes nothing. A run whose execution ended without
   * closing it is closed with the reason. @throws Failure service_unavailable, within 2 s
   */
  start(run: RunRecord): Promise<void>;
  /** Asks the run to stop; it ends as cancelled soon after. */
  cancel(run: RunRecord): Promise<void>;
  /** Asked before a run is opened, so that nothing is written for an engine that is away. @throws Failure service_unavailable, within 2 s */
  ready(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- small ones

/** Encrypts what must not lie about in the open. */
export interface Secrets {
  seal(plain: string): string;
  /** @throws Failure internal_error where no key of the ring fits */
  open(sealed: string): string;
}

/** Why candidates have their order. Figures are comparable within one order only. */
export interface ExplainedOrder {
  /** The terms of the question, in its order, with all that was looked up for each. */
  readonly words: readonly {
    readonly word: string;
    /** What a passage earns at most that has it: the rarer, the more. */
    readonly worth: number;
    readonly terms: readonly {
      readonly term: string;
      /** The word itself, the mark of operations that do what it says, another word for the same, or a correction of its spelling. */
      readonly as: "word" | "operation" | "synonym" | "spelling";
      /** What an occurrence counts. */
      readonly share: number;
      /** Passages of the library that have it. */
      readonly passages: number;
    }[];
  }[];
  /** The best first. */
  readonly passages: readonly ExplainedPassage[];
}

/** Why a passage has its place: `score` is `factor * (own + beside + page)`, but of what stands first on the page of an operation the best of that page. */
export interface ExplainedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  /** What its own fields earn. */
  readonly own: number;
  /** What it earns for another passage of its page. */
  readonly beside: number;
  /** What it earns for the text, the path and the subject of its page. */
  readonly page: number;
  readonly factor: number;
  /** Of `own`, what each of the words earns. */
  readonly earned: readonly number[];
  /** Where the terms stand in it. */
  readonly found: readonly { readonly term: string; readonly field: SearchField; readonly times: number }[];
}

/** The order of candidates: pure, one for every index, handed to the answering story. */
export interface Ranker {
  /** Changes whenever answers may change, so that cached ones are not used again. */
  readonly version: string;
  analyseQuestion(query: string, library: { readonly id: string; readonly title: string }): Question;
  /** Best first, `limit` at most. */
  rank(
    question: Question,
    candidates: Candidates,
    limit: number,
  ): readonly { readonly candidate: Candidate; readonly score: number }[];
  /** Why `rank` gives the same candidates their order: with figures of its own. */
  explain(question: Question, candidates: Candidates, limit: number): ExplainedOrder;
  /** The claim by which a name finds a library; undefined where none of its claims is that name. */
  claimFor(name: string, entry: Pick<LibraryEntry, "aliases">): ClaimedName | undefined;
  /** Rare words of the question that no passage of the generation has, as they are written; few at most. */
  missing(query: string, question: Question, candidates: Candidates): readonly string[];
  /** True where a library is called by a name, nearly or by a part of it too: what it says of itself does not count. */
  isNamed(name: string, entry: LibraryEntry): boolean;
  /** Best first; entries that have nothing to do with the name are left out. */
  rankLibraries(name: string, query: string, entries: readonly LibraryEntry[]): readonly LibraryEntry[];
}

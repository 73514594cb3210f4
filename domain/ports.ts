import type { Outline, OutlinePage } from "./outline.ts";
import type { Finding, Passage } from "./passage.ts";
import type { RunRecord } from "./catalog.ts";

/** The Catalog and its records: the largest port, in a file of its own. */
export type * from "./catalog.ts";

/** The indexes of passages and libraries, and the ranker. */
export * from "./search-ports.ts";
export type * from "./source-port.ts";
export type { StepControl } from "./steps.ts";

// ---------------------------------------------------------------------------------------------------- blobs

/** A blob with its metadata in the file system. */
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
  /** The blob, in a buffer that belongs to the caller; undefined: missing. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keys below a prefix that ends in `/`, in no order. */
  list(prefix: string): AsyncIterable<string>;
  /** As `list`, with metadata of the file system, which damage changes. Absent: there is no file system. */
  written?(prefix: string): AsyncIterable<WrittenBlob>;
  /** Removes all keys below a prefix that ends in `/`. */
  removeAll(prefix: string): Promise<void>;
  /** Bytes of all blobs, by a list of them; absent: they are files. */
  size?(): Promise<number>;
  /** Removes half-written and half-removed blobs of killed processes, older than a time; readers never see these. */
  sweepTemporary(olderThan: number): Promise<void>;
}

/** The pages of generations that were loaded into the index, read from the BlobStore. */
export interface PageStore {
  /** Undefined: it is missing, and the next load of the generation writes it. @throws Failure service_unavailable */
  outline(generation: string): Promise<Outline | undefined>;
  /**
   * The passages of a page in order, also those that are not found as others have the same text; undefined for those that are not
   * served. @throws Failure generation_damaged, service_unavailable
   */
  passages(outline: Outline, page: OutlinePage): Promise<readonly (Passage | undefined)[]>;
}

// ---------------------------------------------------------------------------------------------------- screening

/** A passage to judge: all text that an agent would read, and an ID that is unique in its batch. */
export interface JudgedPassage {
  readonly id: string;
  readonly text: string;
}

/** Judges passages before they are published, in addition to the built-in screen of the extraction. Reads never wait for it. */
export interface Screen {
  /** Name of the judge. A new name makes all passages be extracted and judged again. */
  readonly name: string;
  /**
   * The findings in passages, by their IDs; passages without findings are left out. Undefined: the judge is unreachable, and
   * the settings allow to publish unjudged passages. @throws Failure service_unavailable if they do not
   */
  judge(
    passages: readonly JudgedPassage[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly Finding[]> | undefined>;
}

// ---------------------------------------------------------------------------------------------------- search

/** A server with a model that makes vectors of texts: their embeddings, in signed bytes. */
export interface Embedder {
  readonly model: string;
  /** The embeddings of some texts, in their order, of equal length. @throws Failure service_unavailable, also for a wrong answer */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Int8Array[]>;
  /** The embedding of a question; undefined after the deadline, a failure, or while the circuit is open after several. */
  ofQuestion(text: string): Promise<Int8Array | undefined>;
}

// ---------------------------------------------------------------------------------------------------- indexing

/** The engine: executes runs that the catalog has opened. */
export interface Indexing {
  /**
   * Executes an open run. Starting it again changes nothing. If its execution ended without closing it, it is closed with the
   * reason. @throws Failure service_unavailable, within 2 s
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
  /** @throws Failure internal_error if the key ring lacks its key */
  open(sealed: string): string;
}

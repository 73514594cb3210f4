import type { FailureRecord } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { IncludedRef, SkipCode, Unread, Validators } from "./generation.ts";
import type { Licences } from "./licences.ts";
import type { NamedRepository } from "./repositories.ts";
import type { ClaimedName, LibrarySettings, SourceRef } from "./source.ts";

/** What a source is at the moment. */
export interface SourceState {
  /** Commit, hash or version; "" if it is known only after reading: then `account` brings it. */
  readonly revision: string;
  readonly ref: string | null;
  readonly location: string;
  /** Those that are kept (domain/refs.ts). */
  readonly refs: readonly SourceRef[];
  /** Branches and tags that it has besides; absent: none. */
  readonly refsLeftOut?: number;
}

/** A page: its place, and what identifies its content without reading it. */
export interface PageRef {
  /** Identity within the library: the path in a tree, with forward slashes, or the page's address. */
  readonly key: string;
  /** An address that shows the page, at this revision if the source has revisions. */
  readonly url: string;
  /** Media type, such as `text/markdown`: decides how the page is read. */
  readonly mediaType: string;
  /** Hash or version of the content; equal if and only if the content and its media type are. */
  readonly fingerprint: string;
  /** Address of the fetched resource that the page is in; absent in trees. */
  readonly resource?: string;
  /** Key of the page that led to it; absent where a list did, or nothing is found by links. */
  readonly from?: string;
}

/** A file of the tree that a page includes. */
export interface IncludedPlace extends IncludedRef {
  /** An address that shows the file at this revision. */
  readonly url: string;
}

/** A file that a page looks for in the tree, to include it. `fingerprint` is "" if the tree has none at its path. */
export interface IncludedFile extends IncludedPlace {
  /** Null if there is no such file, or it cannot be included. */
  readonly bytes: Uint8Array | null;
  /** Why a file that is there cannot be included: the end of a sentence that begins with its path. */
  readonly reason?: string;
}

/** What reading a source yields, one item a page, each key once. */
export type SourceItem =
  | {
      readonly type: "page";
      readonly page: PageRef;
      readonly bytes: Uint8Array;
      /** What it includes, and what that includes; with what was looked for in vain. */
      readonly includes?: readonly IncludedFile[];
      /** Revision of this page, if it is not that of the source. */
      readonly revision?: string;
      /** Line of the resource at which the page begins, from 1; absent if lines of the resource mean nothing to a reader. */
      readonly firstLine?: number;
    }
  /** An unchanged page, which was not read; with what it included, which has not changed either. */
  | { readonly type: "known"; readonly page: PageRef; readonly includes?: readonly IncludedPlace[] }
  | {
      readonly type: "skipped";
      readonly page: PageRef;
      readonly code: SkipCode;
      readonly reason: string;
      readonly bytes?: number;
    }
  /** The page keeps its last good passages for some refreshes. */
  | { readonly type: "failed"; readonly page: PageRef; readonly failure: FailureRecord }
  /** A page that is empty without a browser. The step `render` asks for it again; until then it has failed. */
  | { readonly type: "unrendered"; readonly page: PageRef };

/** What a source says beside its pages. */
export interface SourceAccount {
  /** What the library says of itself in a file of its own. */
  readonly settings?: LibrarySettings;
  /** The names that manifests of packages claim for it; absent where none does. */
  readonly claims?: readonly ClaimedName[];
  /** What its manifests and licence files say; absent: not known. */
  readonly licences?: Licences;
  /** The repository that a package names; absent: none. */
  readonly repository?: NamedRepository;
  /** What is read in place of the resolved revision: the library's own file names another branch. Said before the first item. */
  readonly instead?: Pick<SourceState, "revision" | "ref">;
  /** The revision of a source that is known only after reading. */
  readonly revision?: string;
  /** Validators of the fetched resources by their address, for the next refresh. */
  readonly validators?: Readonly<Record<string, Validators>>;
  /** What of it is not read and why, and what is wrong with an API description, in sentences; absent where there is nothing to say. */
  readonly notes?: readonly string[];
  /** Documentation in formats that are not read; absent where there is none. */
  readonly unread?: Unread;
}

/** A page of the live generation. */
export interface EarlierRef {
  readonly page: PageRef;
  /** The revision at which it was read. */
  readonly revision: string;
  /** How often it failed since then. */
  readonly failures: number;
}

/** What the live generation has, offered to the source that is read. */
export interface Earlier {
  /** The page with this key, if its passages can be used again. Only of kinds without paths. */
  page(key: string): EarlierRef | undefined;
  /** The keys of all pages of a fetched resource, whatever became of them, with the page that led to each. */
  found(): Iterable<{ readonly key: string; readonly from?: string; readonly isIndexed: boolean }>;
  /** The pages that were in a fetched resource, in their order. */
  within(resource: string): readonly EarlierRef[];
  /** Validators of a fetched resource; undefined if there are none, or its pages cannot be used again. */
  validators(resource: string): Validators | undefined;
  /** Addresses of all resources that were fetched, those first that led to the others. */
  readonly fetched: readonly string[];
  /** What the source said of the library; absent if it said nothing. */
  readonly settings?: LibrarySettings;
  /** What was said of how it was read; absent if nothing was. */
  readonly notes?: readonly string[];
}

/**
 * How far a long read is, as its source says it: kept for the next attempt of the run, wherever that is executed. An attempt
 * saves all of it first, and from then on what is new.
 */
export interface Checkpoint {
  /** What the last attempt that saved has saved, in its order; nothing at the first attempt. */
  load(): Promise<readonly Uint8Array[]>;
  /** Adds to what this attempt has saved. `whole`: in place of all that, and of what earlier attempts have saved. */
  save(state: Uint8Array, how: { readonly whole: boolean }): Promise<void>;
}

export interface ReadContext<Credential = unknown> {
  readonly signal: AbortSignal;
  /** The pages that are read in a browser, with what these lead to; absent in the first pass, which reads all pages without one. */
  readonly unrendered?: readonly PageRef[];
  /** Keys of the pages that the first pass has read; absent in it. */
  readonly read?: ReadonlySet<string>;
  readonly checkpoint: Checkpoint;
  /**
   * What else the result of a page depends on that an earlier run or attempt has kept; undefined where none is kept. The
   * result holds where the tree has each of these files, or has it not, as then.
   */
  known(page: PageRef): readonly IncludedRef[] | undefined;
  readonly earlier: Earlier;
  /** How often its hosts have answered with which status in earlier attempts and passes of the run, which are counted on from; absent: none was. */
  readonly answers?: Readonly<Record<string, number>>;
  /** Told how many pages there are as far as that is known, and how often its hosts have answered with which status. */
  pages(count: number, answers?: Readonly<Record<string, number>>): void;
  /** True where no branch or tag was asked for, so that the library's own file may name the branch to read. */
  readonly branchIsOpen?: boolean;
  /** Told what the source says beside its pages; later calls add to earlier ones. */
  account?(account: SourceAccount): void;
  /** The file that was submitted in place of an address. @throws Failure source_not_found where there is none */
  upload(): Promise<Uint8Array>;
  /** What the library's credential holds, decrypted for this step; null: it has none. */
  readonly credential: Credential | null;
  /** In a preview: pages that a crawl visits, and what is told of the addresses that it has found besides. */
  readonly preview?: { readonly pages: number; waiting(keys: readonly string[]): void };
  /** A folder of the step's own, removed behind it. */
  readonly scratch: string;
  readonly limits: ReadLimits;
}

/** What finding a revision needs. */
export type ResolveContext<Credential = unknown> = Pick<ReadContext<Credential>, "signal" | "credential"> & {
  /** Names that are to be among the refs where the source has too many. */
  readonly named?: readonly string[];
};

export interface ReadLimits {
  readonly pages: number;
  /** Documents in all, in bytes. */
  readonly bytes: number;
  /** One page, in bytes. */
  readonly pageBytes: number;
}

/** One kind of source. */
export interface Source<Spec extends SourceSpec = SourceSpec, Credential = unknown> {
  readonly kind: Spec["kind"];
  /** Finds revision and refs. `ref` is the branch or tag wanted, null the default one. @throws Failure */
  resolve(spec: Spec, ref: string | null, context: ResolveContext<Credential>): Promise<SourceState>;
  /** Reads the pages at a resolved revision. One bad page is an item, never an error. @throws Failure */
  read(
    spec: Spec,
    state: Pick<SourceState, "revision" | "ref" | "location">,
    context: ReadContext<Credential>,
  ): AsyncIterable<SourceItem>;
}

import type { FailureRecord } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { IncludedRef, Manifest, Validators, ManifestPage } from "./generation.ts";
import type { SkipCode } from "./skip-codes.ts";
import type { SourceSettings, SourceRef } from "./source.ts";

/** The current state of a source. */
export interface SourceState {
  /** Commit, hash or version; "" if it is unknown before reading: `account` then reports it. */
  readonly revision: string;
  readonly ref: string | null;
  readonly location: string;
  /** The listed refs (domain/refs.ts). */
  readonly refs: readonly SourceRef[];
  /** Number of refs that are not listed; absent: 0. */
  readonly refsLeftOut?: number;
}

/** A page that was found, but not read. */
export interface PageRef {
  /** Identity within the library: the path in a tree, with forward slashes, or the page's address. */
  readonly key: string;
  /** An address that shows the page, at this revision if the source has revisions. */
  readonly url: string;
  /** Media type, such as `text/markdown`, which decides how the page is extracted. */
  readonly mediaType: string;
  /** Hash or version: equal if and only if content and media type are. */
  readonly fingerprint: string;
  /** Address of the fetched resource that the page is in; absent in trees. */
  readonly resource?: string;
  /** Key of the page that links to it; absent if a list has it, or the source does not follow links. */
  readonly from?: string;
}

/** A file of the tree that a page includes. */
export interface IncludedPlace extends IncludedRef {
  /** An address that shows the file at this revision. */
  readonly url: string;
}

/** A file that a page includes. `fingerprint` is "" if the tree has no such file. */
export interface IncludedFile extends IncludedPlace {
  /** Null: missing, or it cannot be included. */
  readonly bytes: Uint8Array | null;
  /** Why an existing file cannot be included: the end of a sentence that begins with its path. */
  readonly reason?: string;
}

/** What reading a source yields: one item per page, each key once. */
export type SourceItem =
  | {
      readonly type: "page";
      readonly page: PageRef;
      readonly bytes: Uint8Array;
      /** The files that it includes, transitively, also missing ones. */
      readonly includes?: readonly IncludedFile[];
      /** Revision of this page, if not that of the source. */
      readonly revision?: string;
      /** First line of the page in the resource, from 1; absent: lines mean nothing to a reader. */
      readonly firstLine?: number;
    }
  /** An unchanged page, which was not read, with the unchanged files that it includes. */
  | { readonly type: "known"; readonly page: PageRef; readonly includes?: readonly IncludedPlace[] }
  | {
      readonly type: "skipped";
      readonly page: PageRef;
      readonly code: SkipCode;
      readonly reason: string;
      readonly bytes?: number;
    }
  /** A page that failed; it keeps its last passages for some refreshes. */
  | { readonly type: "failed"; readonly page: PageRef; readonly failure: FailureRecord }
  /** A page that is empty without a browser. The step `render` reads it; until then it counts as failed. */
  | { readonly type: "unrendered"; readonly page: PageRef };

/** What a source says about the library besides its pages. */
export interface SourceAccount extends Pick<
  Manifest,
  "settings" | "claims" | "licences" | "repository" | "validators" | "notes" | "unread"
> {
  /** What is read instead of the resolved revision, as the library's own file names another branch. Before the first item. */
  readonly instead?: Pick<SourceState, "revision" | "ref">;
  /** The revision, if it was unknown before reading. */
  readonly revision?: string;
}

/** A page of the live generation. */
export interface EarlierRef {
  readonly page: PageRef;
  /** The revision at which it was read. */
  readonly revision: string;
  /** Number of failures since then. */
  readonly failures: number;
}

/** The parts of the live generation that reading a source may use. */
export interface Earlier {
  /** The page with a key, if its passages can be reused. Only for kinds without paths. */
  page(key: string): EarlierRef | undefined;
  /** All pages in fetched resources, whatever their outcome, each with the page that links to it. */
  found(): Iterable<{ readonly key: string; readonly from?: string; readonly isIndexed: boolean }>;
  /** The pages that were in a fetched resource, in order. */
  within(resource: string): readonly EarlierRef[];
  /** Validators of a fetched resource; undefined: none, or its pages cannot be reused. */
  validators(resource: string): Validators | undefined;
  /** Addresses of all fetched resources, those first that link to the others. */
  readonly fetched: readonly string[];
  /** Settings in the library's own file then; absent: none. */
  readonly settings?: SourceSettings;
  /** The notes then; absent: none. */
  readonly notes?: readonly string[];
}

/** The progress of a long read, in a format of its source, for the next attempt of the run on any worker. */
export interface Checkpoint {
  /** The saved states, in order; empty at the first attempt. */
  load(): Promise<readonly Uint8Array[]>;
  /** Appends a state. `whole`: replaces all saved states, as the first one of an attempt does. */
  save(state: Uint8Array, how: { readonly whole: boolean }): Promise<void>;
}

export interface ReadContext<Credential = unknown> {
  readonly signal: AbortSignal;
  /** The pages to read in a browser, with those that they link to; absent in the first pass, which uses no browser. */
  readonly unrendered?: readonly PageRef[];
  /** Keys of the pages that the first pass read; absent in the first pass. */
  readonly read?: ReadonlySet<string>;
  readonly checkpoint: Checkpoint;
  /**
   * The files that the stored result of a page by an earlier run or attempt depends on; undefined: no result is stored. The
   * result stays valid until one of these files changes.
   */
  known(page: PageRef): readonly IncludedRef[] | undefined;
  readonly earlier: Earlier;
  /** Initial number of responses by HTTP status, from earlier attempts and passes of the run; absent: none. */
  readonly answers?: Readonly<Record<string, number>>;
  /** Reports the number of known pages, and of responses by HTTP status. */
  pages(count: number, answers?: Readonly<Record<string, number>>): void;
  /** No branch or tag was requested, so the library's own file may name the branch to read. */
  readonly branchIsOpen?: boolean;
  /** Reports the account of the source; later calls add to earlier ones. */
  account?(account: SourceAccount): void;
  /** The uploaded file. @throws Failure source_not_found if it is missing */
  upload(): Promise<Uint8Array>;
  /** The data of the library's credential, decrypted for this step; null: it has none. */
  readonly credential: Credential | null;
  /** In a preview: maximum number of pages that a crawl visits, and a callback for further addresses. */
  readonly preview?: { readonly pages: number; waiting(keys: readonly string[]): void };
  /** A temporary folder, removed after the step. */
  readonly scratch: string;
  readonly limits: ReadLimits;
}

/** The context of resolving. */
export type ResolveContext<Credential = unknown> = Pick<ReadContext<Credential>, "signal" | "credential"> & {
  /** Refs to list in any case, if the source has too many. */
  readonly named?: readonly string[];
};

export interface ReadLimits {
  readonly pages: number;
  /** All documents, in bytes. */
  readonly bytes: number;
  /** One page, in bytes. */
  readonly pageBytes: number;
}

/** One kind of source. */
export interface Source<Spec extends SourceSpec = SourceSpec, Credential = unknown> {
  readonly kind: Spec["kind"];
  /** Finds revision and refs. `ref` is the wanted branch or tag, null the default one. @throws Failure */
  resolve(spec: Spec, ref: string | null, context: ResolveContext<Credential>): Promise<SourceState>;
  /** Reads the pages at a resolved revision. One bad page is an item, never an error. @throws Failure */
  read(
    spec: Spec,
    state: Pick<SourceState, "revision" | "ref" | "location">,
    context: ReadContext<Credential>,
  ): AsyncIterable<SourceItem>;
}

/** The members of a manifest row that identify a page, and those that a conditional request for its resource needs. */
export function toManifestPage({
  key,
  url,
  resource,
  fingerprint,
  mediaType,
  from,
}: PageRef): Pick<ManifestPage, "path" | "url"> {
  const inResource = resource !== undefined && { resource, fingerprint, mediaType };
  return { path: key, url, ...inResource, ...(from !== undefined && { from }) };
}

/** The page of a manifest row. Fingerprint and media type are "" if the row has none. */
export function toPageRef({ path: key, url, resource, fingerprint = "", mediaType = "", from }: ManifestPage): PageRef {
  const optional = { ...(resource !== undefined && { resource }), ...(from !== undefined && { from }) };
  return { key, url, mediaType, fingerprint, ...optional };
}
